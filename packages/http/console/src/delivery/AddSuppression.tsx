// The form that suppresses an address.
import { Radio, Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import { useMutationOf } from "../api/mutations.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"
import { isSuppressionReason, suppression_reasons, type SuppressionReason } from "./search.ts"
import { FormFooter } from "../parts/dialogs/FormFooter.tsx"

interface Props {
  readonly onClose: () => void
}

export const AddSuppression = ({ onClose }: Props) => {
  const words = useWords("delivery")
  const shell = useWords("shell")
  const [email, setEmail] = useState("")
  const [reason, setReason] = useState<SuppressionReason>("manual")
  const payload = { email: email.trim(), reason }
  const add = useMutationOf("suppressions", "add", {
    // A stronger reason stays.
    done: ({ email: added, reason: applies }) =>
      applies === reason ? words.suppressed(added) : words.stronger(added, words.reasons[applies]),
    onDone: onClose,
  })
  return (
    <Modal opened onClose={onClose} title={words.suppressTitle} closeButtonProps={{ "aria-label": shell.close }}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate({ payload })
        }}
      >
        <Stack>
          <TextInput
            type="email"
            label={words.address}
            required
            data-autofocus
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <Radio.Group
            label={words.reason}
            value={reason}
            onChange={(next) => {
              if (isSuppressionReason(next)) setReason(next)
            }}
          >
            <Stack gap={6} mt={6}>
              {suppression_reasons.map((each) => (
                <Radio
                  key={each}
                  value={each}
                  label={words.reasons[each]}
                  description={words.reasonTexts[each]}
                  size="sm"
                />
              ))}
            </Stack>
          </Radio.Group>
          {add.isError && <Problem error={add.error} />}
          <FormFooter
            beside={<CurlButton call={["suppressions", "add", { payload }]} />}
            action={words.suppressAction}
            isPending={add.isPending}
            isReady={payload.email !== ""}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
