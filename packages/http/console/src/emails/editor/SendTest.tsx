// Sends the current version to up to five addresses.
import { Stack, Text, Textarea } from "@mantine/core"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { problemOf } from "../../api/problems.ts"
import { ContactPicker } from "../../contacts/ContactPicker.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Written } from "../written.ts"
import { Missing } from "./Missing.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"

const addresses_max = 5

/** Addresses between commas, semicolons, blanks or line breaks. */
const addressesOf = (text: string): ReadonlyArray<string> => text.split(/[\s,;]+/).filter((each) => each !== "")

interface Props {
  readonly written: Written
  readonly onClose: () => void
}

export const SendTest = ({ onClose, written }: Props) => {
  const words = useWords("emails")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  const { session } = useSession()
  const [text, setText] = useState(session.user.email)
  const [contactId, setContactId] = useState<string | null>(null)
  const to = addressesOf(text)
  const send = useMutationOf("emails", "testSend", { done: () => words.testSent(to.join(", ")), onDone: onClose })
  const request = {
    params: { emailId: written.id },
    payload: { to, ...(contactId === null ? {} : { contact_id: contactId }) },
  }
  const isNotReady = problemOf(send.error).code === "email_not_ready"
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.testTitle(written.version)}
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate(request)
        }}
      >
        <Stack>
          <Text size="sm">{words.testText}</Text>
          <Textarea
            label={words.addresses}
            description={words.addressesText(addresses_max)}
            value={text}
            autosize
            data-autofocus
            error={to.length > addresses_max ? words.addressesMax(addresses_max) : undefined}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <ContactPicker label={words.testAs} value={contactId} onChange={setContactId} />
          {isNotReady && <Missing error={send.error} written={written} onClose={onClose} />}
          {send.isError && !isNotReady && <Problem error={send.error} />}
          <FormFooter
            beside={<CurlButton call={["emails", "testSend", request]} />}
            action={words.testAction(to.length)}
            isPending={send.isPending}
            isReady={to.length > 0 && to.length <= addresses_max}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
