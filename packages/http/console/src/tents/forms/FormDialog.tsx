// What a form subscribes to: its topics, the check box by which visitors agree, and the confirmation by mail.
import { Checkbox, NativeSelect, Stack, Text } from "@mantine/core"
import type { Form } from "@tentpole/client"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useActiveTopics } from "../../topics/TopicSelect.tsx"
import { useWords } from "../../words/Words.tsx"

const confirmations = { topic: null, yes: true, no: false } as const

type Confirmation = keyof typeof confirmations

const kinds = ["topic", "yes", "no"] as const satisfies ReadonlyArray<Confirmation>

const first = (double_opt_in: boolean | null | undefined): Confirmation =>
  kinds.find((each) => confirmations[each] === (double_opt_in ?? null)) ?? "topic"

interface TopicsProps {
  readonly chosen: ReadonlyArray<string>
  readonly onChange: (chosen: ReadonlyArray<string>) => void
}

const Topics = ({ chosen, onChange }: TopicsProps) => {
  const { forms: words } = useWords("tents")
  const topics = useActiveTopics()
  return (
    <Checkbox.Group label={words.topics} value={[...chosen]} onChange={onChange}>
      <Stack gap={8} mt={8}>
        {topics?.map(({ description, name, topic_id }) => (
          <Checkbox key={topic_id} value={topic_id} label={name} description={description} />
        ))}
        {topics?.length === 0 && <Text size="sm">{words.noTopicsYet}</Text>}
      </Stack>
    </Checkbox.Group>
  )
}

interface Props {
  readonly tentId: string
  readonly form: Form
  readonly onClose: () => void
}

export const FormDialog = ({ form: { consent, fields, form_id }, onClose, tentId }: Props) => {
  const { forms: words } = useWords("tents")
  const { close } = useWords("shell")
  const isPhone = useIsPhone()
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(consent?.topic_ids ?? [])
  const [field, setField] = useState(consent?.consent_field ?? "")
  const [confirmation, setConfirmation] = useState<Confirmation>(first(consent?.double_opt_in))
  const set = useMutationOf("forms", "setConsent", { done: () => words.saved, onDone: onClose })
  const request = {
    params: { tentId, formId: form_id },
    payload:
      chosen.length === 0
        ? { topic_ids: null }
        : {
            topic_ids: chosen,
            consent_field: field === "" ? null : field,
            double_opt_in: confirmations[confirmation],
          },
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.title(form_id)}
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!set.isPending) set.mutate(request)
        }}
      >
        <Stack>
          <Topics chosen={chosen} onChange={setChosen} />
          <NativeSelect
            label={words.field}
            description={words.fieldText}
            value={field}
            data={[
              { value: "", label: words.consentBySending },
              ...fields.map((name) => ({ value: name, label: words.consentByField(name) })),
            ]}
            onChange={({ currentTarget }) => setField(currentTarget.value)}
          />
          <NativeSelect
            label={words.confirmation}
            value={confirmation}
            data={kinds.map((each) => ({ value: each, label: words.confirmations[each] }))}
            onChange={({ currentTarget }) =>
              setConfirmation(kinds.find((each) => each === currentTarget.value) ?? "topic")
            }
          />
          <Text size="xs" c="dimmed">
            {words.evidence[field === "" ? "form" : "box"]}
          </Text>
          {set.isError && <Problem error={set.error} />}
          <FormFooter
            beside={<CurlButton call={["forms", "setConsent", request]} />}
            action={chosen.length === 0 && consent !== null ? words.clear : words.save}
            isPending={set.isPending}
            isReady={chosen.length > 0 || consent !== null}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
