// Adds pasted addresses to a static list, as an import of rows: contacts that do not exist are created.
import { Button, Group, Stack, Text, Textarea } from "@mantine/core"
import type { ContactList } from "@tentpole/client"
import { useMutation } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type SyntheticEvent, useState } from "react"
import { api } from "../api/client.ts"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { addressesIn } from "./addresses.ts"

/** Rows of one request. */
const addresses_max = 1_000

interface Props {
  readonly list: ContactList
  readonly onClose: () => void
}

export const PasteAddresses = ({ list, onClose }: Props) => {
  const words = useWords("imports")
  const shell = useWords("shell")
  const navigate = useNavigate()
  const [text, setText] = useState("")
  const addresses = addressesIn(text)
  const add = useMutation({
    mutationFn: async () => {
      const rows = addresses.map((Email) => ({ Email }))
      const { import_session_id } = await api.imports.begin({ payload: { source: "rows", rows, file_name: list.name } })
      return api.imports.execute({
        params: { session_id: import_session_id },
        payload: { mappings: [{ header: "Email", target_field: "email" }], list_ids: [list.list_id] },
      })
    },
    onSuccess: ({ import_run_id }) => navigate({ to: "/imports/$runId", params: { runId: import_run_id } }),
  })
  const isTooMany = addresses.length > addresses_max
  const isReady = addresses.length > 0 && !isTooMany
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (isReady) add.mutate()
  }
  return (
    <Modal opened onClose={onClose} title={words.paste} closeButtonProps={{ "aria-label": shell.close }}>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label={words.addresses}
            description={words.pasteText}
            autosize
            minRows={6}
            maxRows={14}
            data-autofocus
            value={text}
            error={isTooMany ? words.pasteMax(addresses_max) : null}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          {add.isError && <Problem error={add.error} />}
          <Group justify="flex-end" gap="xs">
            <Text size="sm" c="dimmed" role="status" mr="auto">
              {words.addressCount(addresses.length)}
            </Text>
            <Button variant="default" onClick={onClose}>
              {shell.cancel}
            </Button>
            <Button type="submit" disabled={!isReady} loading={add.isPending}>
              {words.pasteAction(addresses.length)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
