// Adds a contact to a flow, with the values of its tokens.
import { Stack, Text } from "@mantine/core"
import type { Flow } from "@tentpole/client"
import { type SyntheticEvent, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { ContactPicker } from "../../contacts/ContactPicker.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { type TokenRow, Tokens, tokensOf } from "../simulation/Tokens.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"

interface Props {
  readonly flow: Flow
  readonly onClose: () => void
}

export const AddMember = ({ flow, onClose }: Props) => {
  const words = useWords("flows")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  const [contactId, setContactId] = useState<string | null>(null)
  const [rows, setRows] = useState<ReadonlyArray<TokenRow>>([])
  const add = useMutationOf("flowMembers", "add", { done: () => words.memberAdded, onDone: onClose })
  const tokens = tokensOf(rows)
  const request = {
    params: { flowId: flow.flow_id, contactId: contactId ?? "" },
    payload: Object.keys(tokens).length === 0 ? {} : { tokens },
  }
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (contactId !== null) add.mutate(request)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.addMember}
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{words.addMemberText}</Text>
          <ContactPicker label={words.contact} value={contactId} onChange={setContactId} />
          <Tokens rows={rows} onChange={setRows} />
          {add.isError && <Problem error={add.error} />}
          <FormFooter
            beside={
              <CurlButton
                call={[
                  "flowMembers",
                  "add",
                  { ...request, params: { ...request.params, contactId: contactId ?? words.exampleContact } },
                ]}
              />
            }
            action={words.addMemberAction}
            isPending={add.isPending}
            isReady={contactId !== null}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
