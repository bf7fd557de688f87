// The form of an endpoint, for a new one and for changes.
import { Modal } from "../../parts/dialogs/Modal.tsx"
import "../webhooks.css"
import { Stack, Text, Textarea, TextInput } from "@mantine/core"
import { type ReactNode, useState } from "react"
import { fieldErrors } from "../../api/problems.ts"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { useSettingTexts } from "../useSettingTexts.ts"
import { DeliveryFields } from "./DeliveryFields.tsx"
import { description_length_max, fieldOf, filter_keys, isReady, url_length_max, type Values } from "./draft.ts"
import { EventTypesField } from "./EventTypesField.tsx"
import { FilterFields } from "./FilterFields.tsx"
import { HeadersField } from "./HeadersField.tsx"
import { Unfolding } from "./Unfolding.tsx"

interface Props {
  readonly title: string
  readonly action: string
  readonly first: Values
  /** Names of the headers that are set. */
  readonly headersBefore: ReadonlyArray<string>
  readonly isPending: boolean
  readonly error: unknown
  /** Whether there is something to send. */
  readonly isChanged: (values: Values) => boolean
  readonly onSubmit: (values: Values) => void
  readonly onClose: () => void
  /** At the left of the buttons. */
  readonly beside: (values: Values) => ReactNode
}

const delivery_fields = ["payload", "mode", "max_in_flight", "max_events", "wait_s"]

const fieldsOf = ({ headers }: Values): ReadonlyArray<string> => [
  "url",
  "description",
  "event_types",
  "headers",
  ...delivery_fields,
  ...filter_keys,
  ...(headers ?? []).map(({ name }) => `headers.${name.trim()}`),
]

/** The messages by field. Those of a filter are at `filter.list_ids.0`. */
const errorsOf = (error: unknown, values: Values) =>
  fieldErrors(error, fieldsOf(values), (path) =>
    path.startsWith("filter.") ? (path.split(".")[1] ?? path) : fieldOf(path),
  )

interface MoreProps {
  readonly values: Values
  readonly errors: Readonly<Record<string, string>>
  readonly headersBefore: ReadonlyArray<string>
  readonly onChange: (change: Partial<Values>) => void
}

/** What most endpoints leave as it is. */
const More = ({ errors, headersBefore, onChange, values }: MoreProps) => {
  const words = useWords("webhooks")
  const texts = useSettingTexts()
  const names = Object.keys(errors)
  const headers = values.headers?.map(({ name }) => name).filter((name) => name.trim() !== "") ?? headersBefore
  return (
    <div>
      <Unfolding
        label={words.filter}
        summary={texts.filter(values.filter)}
        hasError={filter_keys.some((key) => names.includes(key))}
      >
        <Text size="xs" c="dimmed" mb="sm">
          {words.filterText}
        </Text>
        <FilterFields filter={values.filter} errors={errors} onChange={(filter) => onChange({ filter })} />
      </Unfolding>
      <Unfolding
        label={words.delivery}
        summary={texts.delivery({
          payload: values.payload,
          mode: values.mode,
          batch_count: values.isBatched ? Number(values.max_events) : null,
          inFlight_max: Number(values.max_in_flight),
        })}
        hasError={delivery_fields.some((name) => names.includes(name))}
      >
        <DeliveryFields values={values} errors={errors} onChange={onChange} />
      </Unfolding>
      <Unfolding
        label={words.headers}
        summary={headers.length === 0 ? words.noHeaders : headers.join(", ")}
        hasError={names.some((name) => name.startsWith("headers"))}
      >
        <HeadersField
          before={headersBefore}
          value={values.headers}
          errors={errors}
          onChange={(next) => onChange({ headers: next })}
        />
      </Unfolding>
    </div>
  )
}

export const EndpointForm = (props: Props) => {
  const { action, beside, error, first, headersBefore, isChanged, isPending, onClose, onSubmit, title } = props
  const words = useWords("webhooks")
  const { close } = useWords("shell")
  const isPhone = useIsPhone()
  const [values, setValues] = useState(first)
  const change = (some: Partial<Values>) => setValues((before) => ({ ...before, ...some }))
  const { errors, rest } = errorsOf(error, values)
  const isElsewhere = error !== null && (rest.length > 0 || Object.keys(errors).length === 0)
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size="lg"
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": close }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady(values) && isChanged(values) && !isPending) onSubmit(values)
        }}
      >
        <Stack>
          <TextInput
            type="url"
            label={words.url}
            description={words.urlText}
            placeholder={words.urlExample}
            required
            maxLength={url_length_max}
            data-autofocus
            value={values.url}
            error={errors["url"]}
            onChange={({ currentTarget }) => change({ url: currentTarget.value })}
          />
          <Textarea
            label={words.description}
            description={words.descriptionText}
            autosize
            minRows={1}
            maxRows={4}
            maxLength={description_length_max}
            value={values.description}
            error={errors["description"]}
            onChange={({ currentTarget }) => change({ description: currentTarget.value })}
          />
          <EventTypesField
            label={words.events}
            allText={words.allEventsText}
            value={values.event_types}
            error={errors["event_types"]}
            onChange={(event_types) => change({ event_types })}
          />
          <More values={values} errors={errors} headersBefore={headersBefore} onChange={change} />
          {isElsewhere && <Problem error={error} issues={rest} />}
          <FormFooter
            beside={beside(values)}
            action={action}
            isPending={isPending}
            isReady={isReady(values) && isChanged(values)}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
