// A form of settings: it saves what changed, with its button or ⌘S, and shows issues beside their fields.
import { Button, Group, Paper, Skeleton, Stack } from "@mantine/core"
import { useForm, type UseFormReturnType } from "@mantine/form"
import type { Admin } from "@tentpole/client"
import { type ReactNode, useEffect } from "react"
import { useAdminMutationOf } from "../api/mutations.ts"
import { fieldErrors } from "../api/problems.ts"
import { CurlButton } from "../parts/Copy.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useKeys } from "../shell/keys.ts"
import { useWords } from "../words/Words.tsx"
import { useSettings, useWorkspaceParams } from "./useSettings.ts"

type Values = Record<string, string>
export type SettingsFields = UseFormReturnType<Values>

interface Props {
  /** The values of the settings, as texts. */
  readonly valuesOf: (settings: Admin.Workspace) => Values
  /** The request of values; an empty text clears. */
  readonly payloadOf: (values: Values) => Admin.UpdateWorkspace
  /** The name of the field that an issue's path belongs to. Default: the last part of the path. */
  readonly nameOf?: (path: string) => string
  readonly onSaved?: (settings: Admin.Workspace, before: Admin.Workspace) => void
  readonly children: (form: SettingsFields) => ReactNode
  /** Beside the fields, such as a preview. */
  readonly beside?: (values: Values) => ReactNode
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

const Loaded = ({
  beside,
  children,
  nameOf = lastOf,
  onSaved,
  payloadOf,
  settings,
  valuesOf,
}: Props & { readonly settings: Admin.Workspace }) => {
  const words = useWords("settings")
  const params = useWorkspaceParams()
  const form = useForm<Values>({ initialValues: valuesOf(settings) })
  const save = useAdminMutationOf("workspaces", "update", {
    done: () => words.saved,
    onDone: (saved) => {
      const values = valuesOf(saved)
      form.setValues(values)
      form.resetDirty(values)
      onSaved?.(saved, settings)
    },
  })
  const { setErrors } = form
  const { errors, rest } = fieldErrors(save.error, Object.keys(form.values), nameOf)
  useEffect(() => {
    setErrors(fieldErrors(save.error, Object.keys(valuesOf(settings)), nameOf).errors)
  }, [save.error, setErrors, nameOf, settings, valuesOf])
  const payload = payloadOf(form.values)
  const submit = () => {
    if (form.isDirty() && !save.isPending) save.mutate({ params, payload })
  }
  useKeys({ "mod+S": submit })
  return (
    <div className={beside === undefined ? undefined : "with-beside"}>
      <Paper p="lg" component="form" noValidate onSubmit={form.onSubmit(submit)}>
        <Stack>
          {children(form)}
          {save.isError && Object.keys(errors).length === 0 && <Problem error={save.error} issues={rest} />}
          <Group justify="space-between">
            <CurlButton call={["admin.workspaces", "update", { params, payload }]} />
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
              {words.save}
            </Button>
          </Group>
        </Stack>
      </Paper>
      {beside?.(form.values)}
    </div>
  )
}

export const SettingsForm = (props: Props) => {
  const settings = useSettings()
  if (settings.data !== undefined) return <Loaded {...props} settings={settings.data} />
  if (settings.isError) return <Problem error={settings.error} onRetry={settings.refetch} />
  return <Skeleton h={320} radius="lg" className="late" />
}

/** The text of a field; null if it is empty. */
export const orNull = (text: string | undefined): string | null => {
  const trimmed = (text ?? "").trim()
  return trimmed === "" ? null : trimmed
}
