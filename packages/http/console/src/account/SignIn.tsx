// Sign-in: by a one-time link of the address's fragment, or by email and password.
import { Button, Center, Loader, Paper, PasswordInput, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { ApiError } from "@tentpole/client/Failures"
import { useMutation, useQuery } from "@tanstack/react-query"
import { type ReactNode, useEffect } from "react"
import { fieldErrors } from "../api/problems.ts"
import { type Credentials, type LinkPurpose, purposeOf, type Session, signIn } from "../api/session.ts"
import { Logo } from "../parts/Logo.tsx"
import { Problem } from "../parts/Problem.tsx"
import { useWords } from "../words/Words.tsx"

interface Props {
  readonly onSession: (session: Session) => void
}

const Card = ({
  children,
  text,
  title,
}: {
  readonly title: string
  readonly text: string
  readonly children: ReactNode
}) => {
  useEffect(() => {
    document.title = `${title} · Tentpole`
  }, [title])
  return (
    <Center component="main" mih="100vh" p="md" className="door">
      <Stack w="100%" maw={400} gap="lg">
        <Center>
          <Logo size={40} />
        </Center>
        <Paper p="xl" shadow="sm">
          <h1 className="door-title">{title}</h1>
          <Text size="sm" c="dimmed" mb="lg">
            {text}
          </Text>
          {children}
        </Paper>
      </Stack>
    </Center>
  )
}

/** A refused sign-in says no more than that; other failures are shown as they are. */
const Refused = ({ error }: { readonly error: unknown }) => {
  const words = useWords("account")
  return error instanceof ApiError && error.status === 401 ? (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {words.refused}
    </Text>
  ) : (
    <Problem error={error} issues={fieldErrors(error, ["email", "password", "name"]).rest} />
  )
}

const useSignIn = (onSession: Props["onSession"]) =>
  useMutation({ mutationFn: (credentials: Credentials) => signIn(credentials), onSuccess: onSession })

/** The form for a person with an account. `email` is fixed where the session of a person goes on. */
export const PasswordForm = ({ email = "", onSession }: Props & { readonly email?: string }) => {
  const words = useWords("account")
  const form = useForm({ mode: "uncontrolled", initialValues: { email, password: "" } })
  const signing = useSignIn(onSession)
  return (
    <form onSubmit={form.onSubmit((values) => signing.mutate(values))}>
      <Stack>
        <TextInput
          label={words.email}
          type="email"
          autoComplete="username"
          required
          readOnly={email !== ""}
          data-autofocus={email === "" ? true : undefined}
          key={form.key("email")}
          {...form.getInputProps("email")}
        />
        <PasswordInput
          label={words.password}
          autoComplete="current-password"
          required
          data-autofocus={email === "" ? undefined : true}
          visibilityToggleButtonProps={{ "aria-label": words.passwordShow, tabIndex: 0 }}
          key={form.key("password")}
          {...form.getInputProps("password")}
        />
        {signing.isError && <Refused error={signing.error} />}
        <Button type="submit" loading={signing.isPending} fullWidth>
          {words.signIn}
        </Button>
      </Stack>
    </form>
  )
}

interface LinkProps extends Props {
  readonly token: string
  readonly link: LinkPurpose
}

const useLinkTexts = ({ purpose, role, workspace }: LinkPurpose) => {
  const words = useWords("account")
  const { roles } = useWords("shell")
  switch (purpose) {
    case "first":
      return { title: words.first, text: words.firstText, button: words.create }
    case "invitation":
      return {
        title: words.invitation(workspace?.name ?? ""),
        text: words.invitationText(roles[role ?? "viewer"]),
        button: words.join,
      }
    case "recovery":
      return { title: words.recovery, text: words.recoveryText, button: words.change }
  }
}

const LinkForm = ({ link, onSession, token }: LinkProps) => {
  const words = useWords("account")
  const texts = useLinkTexts(link)
  const isNew = !link.has_account
  const asksNewPassword = isNew || link.purpose === "recovery"
  const form = useForm({ initialValues: { name: "", email: link.email ?? "", password: "" } })
  const signing = useSignIn(onSession)
  const { setErrors } = form
  useEffect(() => {
    const nameOf = (path: string) => path.replace(/^link\./, "")
    setErrors(fieldErrors(signing.error, ["name", "email", "password"], nameOf).errors)
  }, [signing.error, setErrors])
  const submit = form.onSubmit(({ email, name, password }) =>
    signing.mutate({
      link: { token, ...(isNew ? { name } : {}), ...(link.email === null ? { email } : {}) },
      password,
    }),
  )
  return (
    <Card title={texts.title} text={texts.text}>
      <form onSubmit={submit}>
        <Stack>
          {isNew && <TextInput label={words.name} autoComplete="name" required {...form.getInputProps("name")} />}
          <TextInput
            label={words.email}
            type="email"
            autoComplete="username"
            required
            readOnly={link.email !== null}
            {...form.getInputProps("email")}
          />
          <PasswordInput
            label={words.password}
            autoComplete={asksNewPassword ? "new-password" : "current-password"}
            {...(asksNewPassword ? { description: words.passwordText, minLength: 12 } : {})}
            required
            visibilityToggleButtonProps={{ "aria-label": words.passwordShow, tabIndex: 0 }}
            {...form.getInputProps("password")}
          />
          {signing.isError && Object.keys(form.errors).length === 0 && <Refused error={signing.error} />}
          <Button type="submit" loading={signing.isPending} fullWidth>
            {texts.button}
          </Button>
        </Stack>
      </form>
    </Card>
  )
}

const Link = ({ onSession, token }: Props & { readonly token: string }) => {
  const words = useWords("account")
  const { loading } = useWords("shell")
  const link = useQuery({ queryKey: ["link", token], queryFn: () => purposeOf(token), staleTime: Infinity })
  if (link.data !== undefined) return <LinkForm token={token} link={link.data} onSession={onSession} />
  if (link.isPending) {
    return (
      <Center mih="100vh">
        <Loader aria-label={loading} />
      </Center>
    )
  }
  return (
    <Card title={words.linkGone} text={words.linkGoneText}>
      <PasswordForm onSession={onSession} />
    </Card>
  )
}

export const SignIn = ({ onSession }: Props) => {
  const words = useWords("account")
  const [, token] = /^#link=(.+)$/.exec(location.hash) ?? []
  if (token !== undefined) return <Link token={token} onSession={onSession} />
  return (
    <Card title={words.signIn} text={words.signInText}>
      <PasswordForm onSession={onSession} />
    </Card>
  )
}
