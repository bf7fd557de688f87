// The forms of a custom field: a new one, and the labels, usage and status of an existing one.
import { Button, Checkbox, Group, List, Select, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { ContactField } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useEffect, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { fieldErrors } from "../../api/problems.ts"
import { queryOf } from "../../api/queries.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { apiNameOf } from "./apiName.ts"

type Type = ContactField["value_type"]

interface Values {
  readonly display_name: string
  readonly api_name: string
  readonly value_type: Type
  readonly description: string
  readonly is_editable: boolean
  readonly show_in_people_list_default: boolean
}

const types: ReadonlyArray<Type> = ["string", "number", "boolean", "date", "tags"]
const names = ["display_name", "api_name", "value_type", "description"]

interface FormProps {
  readonly title: string
  readonly action: string
  readonly first: Values
  readonly isNew: boolean
  readonly isPending: boolean
  readonly error: unknown
  readonly onSubmit: (values: Values) => void
  readonly onClose: () => void
  readonly children?: ReactNode
  /** At the left of the buttons. */
  readonly beside: (values: Values) => ReactNode
}

const useFieldForm = (first: Values, error: unknown) => {
  const form = useForm<Values>({ initialValues: first })
  const { setErrors } = form
  const { errors, rest } = fieldErrors(error, names)
  useEffect(() => {
    setErrors(fieldErrors(error, names).errors)
  }, [error, setErrors])
  return { form, rest, isElsewhere: error !== null && Object.keys(errors).length === 0 }
}

const FieldForm = (props: FormProps) => {
  const { action, beside, children, error, first, isNew, isPending, onClose, onSubmit, title } = props
  const words = useWords("settings").fields
  const shell = useWords("shell")
  const { form, isElsewhere, rest } = useFieldForm(first, error)
  const [isNamed, setNamed] = useState(!isNew)
  const label = form.getInputProps("display_name")
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": shell.close }}>
      <form onSubmit={form.onSubmit(onSubmit)}>
        <Stack>
          <TextInput
            label={words.name}
            required
            maxLength={120}
            data-autofocus
            {...label}
            onChange={(event) => {
              form.setFieldValue("display_name", event.currentTarget.value)
              if (!isNamed) form.setFieldValue("api_name", apiNameOf(event.currentTarget.value))
            }}
          />
          <TextInput
            label={words.apiName}
            description={isNew ? words.apiNameText : undefined}
            required
            readOnly={!isNew}
            {...form.getInputProps("api_name")}
            onInput={() => setNamed(true)}
          />
          <Select
            label={words.type}
            data={types.map((type) => ({ value: type, label: words.types[type] }))}
            allowDeselect={false}
            readOnly={!isNew}
            {...form.getInputProps("value_type")}
          />
          <Textarea label={words.description} autosize minRows={2} maxRows={6} {...form.getInputProps("description")} />
          <Checkbox
            label={words.isEditable}
            description={words.isEditableText}
            {...form.getInputProps("is_editable", { type: "checkbox" })}
          />
          <Checkbox
            label={words.isShown}
            {...form.getInputProps("show_in_people_list_default", { type: "checkbox" })}
          />
          {children}
          {isElsewhere && <Problem error={error} issues={rest} />}
          <Group justify="space-between">
            <Group gap="xs">{beside(form.values)}</Group>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                {shell.cancel}
              </Button>
              <Button type="submit" loading={isPending}>
                {action}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const descriptionOf = ({ description }: Values) => (description.trim() === "" ? null : description.trim())

interface Props {
  readonly onClose: () => void
}

const blank: Values = {
  display_name: "",
  api_name: "",
  value_type: "string",
  description: "",
  is_editable: true,
  show_in_people_list_default: false,
}

export const NewField = ({ onClose }: Props) => {
  const words = useWords("settings").fields
  const create = useMutationOf("contactFields", "create", {
    done: ({ items: [field] }) => words.created(field?.display_name ?? ""),
    onDone: onClose,
  })
  const payloadOf = (values: Values) => ({
    ...values,
    display_name: values.display_name.trim(),
    description: descriptionOf(values),
  })
  return (
    <FieldForm
      title={words.create}
      action={words.createAction}
      first={blank}
      isNew
      isPending={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(values) => create.mutate({ payload: payloadOf(values) })}
      beside={(values) => <CurlButton call={["contactFields", "create", { payload: payloadOf(values) }]} />}
    />
  )
}

const paths = { contact_list: "/lists", flow: "/flows" } as const

/** The lists and flows that use the field. */
const Usage = ({ field }: { readonly field: ContactField }) => {
  const words = useWords("settings").fields
  const params = { fieldDefinitionId: field.field_definition_id }
  const usage = useQuery(queryOf("contactFields", "usage", { params }))
  if (usage.data === undefined) return null
  const { used_by, used_by_count } = usage.data
  return (
    <div>
      <Text size="sm" fw={550}>
        {words.usedBy}
      </Text>
      {used_by_count === 0 ? (
        <Text size="sm" c="dimmed">
          {words.unused}
        </Text>
      ) : (
        <List size="sm">
          {used_by.map(({ id, name, type }) => (
            <List.Item key={id}>
              <Link to={`${paths[type]}/${id}` as "/"} className="link">
                {name}
              </Link>{" "}
              <Text component="span" size="sm" c="dimmed">
                {words.users[type]}
              </Text>
            </List.Item>
          ))}
          {used_by_count > used_by.length && <List.Item>{words.more(used_by_count - used_by.length)}</List.Item>}
        </List>
      )}
    </div>
  )
}

const ArchiveField = ({
  field,
  onClose,
  onDone,
}: Props & { readonly field: ContactField; readonly onDone: () => void }) => {
  const words = useWords("settings").fields
  const name = field.display_name
  const archive = useMutationOf("contactFields", "archive", { done: () => words.archived(name), onDone })
  return (
    <Confirm
      title={words.archiveTitle(name)}
      text={words.archiveText}
      action={words.archive}
      isDangerous={false}
      isPending={archive.isPending}
      error={archive.error}
      onConfirm={() => archive.mutate({ params: { fieldDefinitionId: field.field_definition_id } })}
      onClose={onClose}
    />
  )
}

export const EditField = ({ field, onClose }: Props & { readonly field: ContactField }) => {
  const words = useWords("settings").fields
  const shell = useWords("shell")
  const [isArchiving, setArchiving] = useState(false)
  const params = { fieldDefinitionId: field.field_definition_id }
  const edit = useMutationOf("contactFields", "edit", { done: () => words.saved, onDone: onClose })
  const restore = useMutationOf("contactFields", "edit", {
    done: () => words.restored(field.display_name),
    onDone: onClose,
  })
  if (isArchiving) return <ArchiveField field={field} onClose={() => setArchiving(false)} onDone={onClose} />
  const isActive = field.status === "active"
  return (
    <FieldForm
      title={words.edit(field.display_name)}
      action={shell.save}
      first={{ ...field, description: field.description ?? "" }}
      isNew={false}
      isPending={edit.isPending}
      error={edit.error ?? restore.error}
      onClose={onClose}
      onSubmit={(values) => {
        const { display_name, is_editable, show_in_people_list_default } = values
        const payload = { display_name, is_editable, show_in_people_list_default, description: descriptionOf(values) }
        edit.mutate({ params, payload })
      }}
      beside={() => (
        <Button
          variant="subtle"
          color="gray"
          loading={restore.isPending}
          onClick={() => (isActive ? setArchiving(true) : restore.mutate({ params, payload: { status: "active" } }))}
        >
          {isActive ? words.archive : words.restore}
        </Button>
      )}
    >
      <Usage field={field} />
    </FieldForm>
  )
}
