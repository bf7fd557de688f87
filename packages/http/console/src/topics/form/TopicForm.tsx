// The form of a topic, for a new one and for changes.
import { NumberInput, Radio, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core"
import { ApiError } from "@tentpole/client/Failures"
import { type ReactNode, useState } from "react"
import { fieldErrors } from "../../api/problems.ts"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import type { TopicValues } from "../topic.ts"

const fields = ["name", "description", "position"]
const name_length_max = 100
const description_length_max = 500
const position_max = 1_000_000

/** A taken name has no issue: its message belongs to the field. */
const errorsOf = (error: unknown) => {
  const { errors, rest } = fieldErrors(error, fields)
  const isTaken = error instanceof ApiError && error.code === "topic_name_exists"
  return { errors: isTaken ? { ...errors, name: error.message } : errors, rest }
}

interface PartProps {
  readonly values: TopicValues
  readonly onChange: (change: Partial<TopicValues>) => void
}

/** The status of contacts that have not chosen. It is fixed with the creation. */
const Default = ({ onChange, values }: PartProps) => {
  const words = useWords("topics")
  return (
    <Radio.Group
      label={words.defaultQuestion}
      description={words.defaultText}
      value={values.default_subscription}
      onChange={(next) => onChange({ default_subscription: next === "subscribed" ? next : "unsubscribed" })}
    >
      <Stack gap={6} mt={8}>
        {(["unsubscribed", "subscribed"] as const).map((each) => (
          <Radio key={each} value={each} label={words.defaults[each]} description={words.defaultTexts[each]} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

const Visibility = ({ onChange, values }: PartProps) => {
  const words = useWords("topics")
  return (
    <Radio.Group
      label={words.visibilityQuestion}
      value={values.visibility}
      onChange={(next) => onChange({ visibility: next === "public" ? next : "private" })}
    >
      <Stack gap={6} mt={8}>
        {(["public", "private"] as const).map((each) => (
          <Radio key={each} value={each} label={words.visibilities[each]} description={words.visibilityTexts[each]} />
        ))}
      </Stack>
    </Radio.Group>
  )
}

const Position = ({ error, onChange, values }: PartProps & { readonly error: string | undefined }) => {
  const words = useWords("topics")
  return (
    <NumberInput
      label={words.position}
      description={words.positionText}
      min={0}
      max={position_max}
      allowDecimal={false}
      hideControls
      value={values.position ?? ""}
      error={error}
      onChange={(next) => onChange({ position: typeof next === "number" ? next : null })}
    />
  )
}

interface Props {
  readonly title: string
  readonly action: string
  readonly first: TopicValues
  readonly isNew: boolean
  readonly isPending: boolean
  readonly error: unknown
  readonly onSubmit: (values: TopicValues) => void
  readonly onClose: () => void
  readonly beside: (values: TopicValues) => ReactNode
}

export const TopicForm = ({ action, beside, error, first, isNew, isPending, onClose, onSubmit, title }: Props) => {
  const words = useWords("topics")
  const { close } = useWords("shell")
  const isPhone = useIsPhone()
  const [values, setValues] = useState(first)
  const change = (some: Partial<TopicValues>) => setValues((before) => ({ ...before, ...some }))
  const { errors, rest } = errorsOf(error)
  const isReady = values.name.trim() !== ""
  return (
    <Modal opened onClose={onClose} title={title} fullScreen={isPhone} closeButtonProps={{ "aria-label": close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !isPending) onSubmit(values)
        }}
      >
        <Stack>
          <TextInput
            label={words.name}
            description={words.nameText}
            placeholder={words.nameExample}
            required
            maxLength={name_length_max}
            data-autofocus
            value={values.name}
            error={errors["name"]}
            onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          />
          <Textarea
            label={words.description}
            description={words.descriptionText}
            autosize
            minRows={2}
            maxLength={description_length_max}
            value={values.description}
            error={errors["description"]}
            onChange={({ currentTarget }) => change({ description: currentTarget.value })}
          />
          {isNew ? (
            <Default values={values} onChange={change} />
          ) : (
            <Text size="sm" c="dimmed">
              {words.defaultFixed[values.default_subscription]}
            </Text>
          )}
          <Visibility values={values} onChange={change} />
          <Switch
            label={words.doubleOptIn}
            description={words.doubleOptInText}
            checked={values.double_opt_in}
            onChange={({ currentTarget }) => change({ double_opt_in: currentTarget.checked })}
          />
          <Position values={values} error={errors["position"]} onChange={change} />
          {error !== null && Object.keys(errors).length === 0 && <Problem error={error} issues={rest} />}
          <FormFooter
            beside={beside(values)}
            action={action}
            isPending={isPending}
            isReady={isReady}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
