// The forms of a new workspace, and of what operators change in one: its name, slug, plan and credits.
import { Group, NativeSelect, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import type { Admin } from "@tentpole/client"
import { useEffect } from "react"
import type { CurlCall } from "../../api/curl.ts"
import { useAdminMutationOf } from "../../api/mutations.ts"
import { fieldErrors, problemOf } from "../../api/problems.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"

type Workspace = Admin.Workspace

const plans = ["free", "pro", "max"] as const satisfies ReadonlyArray<Workspace["plan"]>

interface Values {
  readonly name: string
  readonly slug: string
  readonly plan: Workspace["plan"]
  readonly credits: string
}

const names = ["name", "slug", "plan", "credits"]

/** A slug that is taken has no issue: its message belongs to the field. */
const errorsOf = (error: unknown) => {
  const { errors, rest } = fieldErrors(error, names)
  const { code, message } = problemOf(error)
  return { errors: code === "conflict" && message !== null ? { ...errors, slug: message } : errors, rest }
}

/** A text that is no number is sent as -1, which the service refuses with its own words. */
const payloadOf = ({ credits, name, plan, slug }: Values) => ({
  name: name.trim(),
  ...(slug.trim() === "" ? {} : { slug: slug.trim() }),
  plan,
  credits: /^\d{1,10}$/.test(credits.trim()) ? Number(credits) : -1,
})

interface FormProps {
  readonly title: string
  readonly action: string
  readonly first: Values
  readonly isPending: boolean
  readonly error: unknown
  readonly call: (payload: ReturnType<typeof payloadOf>) => CurlCall
  readonly onSubmit: (payload: ReturnType<typeof payloadOf>) => void
  readonly onClose: () => void
}

const WorkspaceForm = ({ action, call, error, first, isPending, onClose, onSubmit, title }: FormProps) => {
  const words = useWords("operations").workspaces
  const shell = useWords("shell")
  const form = useForm<Values>({ initialValues: { ...first } })
  const { setErrors } = form
  const { errors, rest } = errorsOf(error)
  useEffect(() => {
    setErrors(errorsOf(error).errors)
  }, [error, setErrors])
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": shell.close }}>
      <form onSubmit={form.onSubmit((values) => onSubmit(payloadOf(values)))}>
        <Stack>
          <TextInput label={words.name} required maxLength={200} data-autofocus {...form.getInputProps("name")} />
          <TextInput
            label={words.slug}
            description={words.slugText}
            maxLength={63}
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps("slug")}
          />
          <Group grow align="flex-start">
            <NativeSelect
              label={words.plan}
              data={plans.map((value) => ({ value, label: words.plans[value] }))}
              {...form.getInputProps("plan")}
            />
            <TextInput label={words.credits} inputMode="numeric" required {...form.getInputProps("credits")} />
          </Group>
          {error !== null && Object.keys(errors).length === 0 && <Problem error={error} issues={rest} />}
          <FormFooter
            beside={<CurlButton call={call(payloadOf(form.values))} />}
            action={action}
            isPending={isPending}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}

interface NewProps {
  readonly onClose: () => void
  readonly onCreated: (workspace: Workspace) => void
}

export const NewWorkspace = ({ onClose, onCreated }: NewProps) => {
  const words = useWords("operations").workspaces
  const create = useAdminMutationOf("workspaces", "create", {
    done: ({ name }) => words.createdNow(name),
    onDone: onCreated,
  })
  return (
    <WorkspaceForm
      title={words.create}
      action={words.createAction}
      first={{ name: "", slug: "", plan: "free", credits: "0" }}
      isPending={create.isPending}
      error={create.error}
      call={(payload) => ["admin.workspaces", "create", { payload }]}
      onSubmit={(payload) => create.mutate({ payload })}
      onClose={onClose}
    />
  )
}

interface EditProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

export const EditWorkspace = ({ onClose, workspace }: EditProps) => {
  const words = useWords("operations").workspaces
  const shell = useWords("shell")
  const params = { workspace_id: workspace.workspace_id }
  const edit = useAdminMutationOf("workspaces", "update", { done: ({ name }) => words.saved(name), onDone: onClose })
  return (
    <WorkspaceForm
      title={words.editTitle(workspace.name)}
      action={shell.save}
      first={{ ...workspace, credits: String(workspace.credits) }}
      isPending={edit.isPending}
      error={edit.error}
      call={(payload) => ["admin.workspaces", "update", { params, payload }]}
      onSubmit={(payload) => edit.mutate({ params, payload })}
      onClose={onClose}
    />
  )
}
