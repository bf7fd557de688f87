// Makes a link to the page on which the contact changes its topics.
import { NativeSelect, Stack, Text } from "@mantine/core"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { ShownOnce } from "../../parts/dialogs/ShownOnce.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"

const hours = { day: 24, week: 168, month: 720 } as const

type Span = keyof typeof hours

const spans = ["day", "week", "month"] as const satisfies ReadonlyArray<Span>

interface Props {
  readonly contactId: string
  readonly onClose: () => void
}

export const PreferencesLink = ({ contactId, onClose }: Props) => {
  const { chosen: words } = useWords("topics")
  const shell = useWords("shell")
  const [span, setSpan] = useState<Span>("day")
  const create = useMutationOf("contacts", "preferencesLink")
  const request = { params: { contact_id: contactId }, payload: { expires_in_hours: hours[span] } }
  const link = create.data
  return (
    <Modal opened onClose={onClose} title={words.linkTitle} closeButtonProps={{ "aria-label": shell.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (link !== undefined) onClose()
          else if (!create.isPending) create.mutate(request)
        }}
      >
        <Stack>
          <Text size="sm">{words.linkText}</Text>
          {link === undefined ? (
            <NativeSelect
              label={words.linkHours}
              value={span}
              data={spans.map((each) => ({ value: each, label: words.hours[each] }))}
              onChange={({ currentTarget }) => setSpan(spans.find((each) => each === currentTarget.value) ?? "day")}
            />
          ) : (
            <>
              <ShownOnce label={words.linkAddress} value={link.url} />
              <Text size="sm" c="dimmed">
                {words.linkUntil} <Time at={link.expires_at} />
              </Text>
            </>
          )}
          {create.isError && <Problem error={create.error} />}
          <FormFooter
            beside={<CurlButton call={["contacts", "preferencesLink", request]} />}
            action={link === undefined ? words.linkAction : shell.done}
            isPending={create.isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
