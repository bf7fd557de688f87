// What the person agreed to: asked where a topic needs it before a user subscribes a contact.
import { Stack, Text, Textarea, TextInput } from "@mantine/core"
import type { TopicOfContact } from "@tentpole/client"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { fieldErrors } from "../../api/problems.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"

const text_length_max = 2_000
const source_length_max = 100
const fields = ["text", "source"]

interface Props {
  readonly contactId: string
  readonly topic: TopicOfContact
  readonly onClose: () => void
}

export const GiveConsent = ({ contactId, onClose, topic: { name, topic_id } }: Props) => {
  const { chosen, consent: words } = useWords("topics")
  const { close } = useWords("shell")
  const isPhone = useIsPhone()
  const [text, setText] = useState("")
  const [source, setSource] = useState("")
  const give = useMutationOf("topics", "updateByContact", { done: () => chosen.subscribed(name), onDone: onClose })
  const consent = { text: text.trim(), source: source.trim() }
  const isReady = consent.text !== "" && consent.source !== ""
  const request = {
    params: { contact_id: contactId },
    payload: { items: [{ topic_id, status: "subscribed" as const, consent }] },
  }
  const { errors, rest } = fieldErrors(give.error, fields, (path) => path.split(".").at(-1) ?? path)
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.title(name)}
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !give.isPending) give.mutate(request)
        }}
      >
        <Stack>
          <Text size="sm">{words.why}</Text>
          <Textarea
            label={words.text}
            description={words.textHelp}
            placeholder={words.textExample}
            autosize
            minRows={2}
            required
            maxLength={text_length_max}
            data-autofocus
            value={text}
            error={errors["text"]}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <TextInput
            label={words.source}
            description={words.sourceHelp}
            placeholder={words.sourceExample}
            required
            maxLength={source_length_max}
            value={source}
            error={errors["source"]}
            onChange={({ currentTarget }) => setSource(currentTarget.value)}
          />
          {give.isError && Object.keys(errors).length === 0 && <Problem error={give.error} issues={rest} />}
          <FormFooter
            beside={<CurlButton call={["topics", "updateByContact", request]} />}
            action={words.action}
            isPending={give.isPending}
            isReady={isReady}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
