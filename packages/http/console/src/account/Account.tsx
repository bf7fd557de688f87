// The account of the person: name, passkeys, password, language, and the sessions.
import { Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { type ReactNode, useEffect } from "react"
import { useAccountsMutationOf } from "../api/mutations.ts"
import { fieldErrors } from "../api/problems.ts"
import { Problem } from "../parts/Problem.tsx"
import { useSession } from "../session.tsx"
import { Section } from "../settings/Section.tsx"
import { isLanguage, languageNames, useLanguage, useWords } from "../words/Words.tsx"
import { ChangePassword } from "./ChangePassword.tsx"
import { useMethods } from "./signIn/methods.ts"
import { PasskeyList } from "./PasskeyList.tsx"
import { SessionList } from "./SessionList.tsx"

const Part = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <Paper p="lg" component="section" aria-label={title}>
    <Text component="h2" fw={600} size="sm" m={0} mb="sm">
      {title}
    </Text>
    {children}
  </Paper>
)

const Name = () => {
  const words = useWords("account")
  const { save: saveLabel } = useWords("shell")
  const { onSession, session } = useSession()
  const { email, name } = session.user
  const form = useForm({ initialValues: { name } })
  const save = useAccountsMutationOf("user", "update", {
    done: () => words.nameSaved,
    onDone: (next) => {
      form.resetDirty({ name: next.user.name })
      onSession(next)
    },
  })
  const { setErrors } = form
  useEffect(() => {
    setErrors(fieldErrors(save.error, ["name"]).errors)
  }, [save.error, setErrors])
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate({ payload: { name: values.name.trim() } }))}>
      <Stack>
        <TextInput label={words.name} required maxLength={200} autoComplete="name" {...form.getInputProps("name")} />
        <TextInput label={words.email} value={email} readOnly autoComplete="username" />
        {save.isError && form.errors["name"] === undefined && <Problem error={save.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            {saveLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const LanguageChoice = () => {
  const { language: label } = useWords("shell")
  const { choose, language } = useLanguage()
  return (
    <SegmentedControl
      aria-label={label}
      value={language}
      data={Object.entries(languageNames).map(([value, name]) => ({ value, label: <span lang={value}>{name}</span> }))}
      onChange={(next) => {
        if (isLanguage(next)) void choose(next)
      }}
    />
  )
}

export const Account = () => {
  const words = useWords("account")
  const methods = useMethods()
  const shell = useWords("shell")
  return (
    <Section name="account" text={words.text}>
      <Stack>
        <Part title={words.you}>
          <Name />
        </Part>
        {methods?.password !== false && (
          <>
            <Part title={words.passkeys}>
              <PasskeyList />
            </Part>
            <Part title={words.password}>
              <ChangePassword />
            </Part>
          </>
        )}
        <Part title={shell.language}>
          <LanguageChoice />
        </Part>
        <Part title={words.sessions}>
          <SessionList />
        </Part>
      </Stack>
    </Section>
  )
}
