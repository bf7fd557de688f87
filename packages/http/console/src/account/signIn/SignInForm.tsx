// The sign-in of a person with an account: by email and password, with a passkey, or with the identity provider.
import { Button, Divider, PasswordInput, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useMutation } from "@tanstack/react-query"
import { type Credentials, type Session, signIn } from "../../api/session.ts"
import { useWords } from "../../words/Words.tsx"
import { useMethods } from "./methods.ts"
import { OidcButton } from "./OidcButton.tsx"
import { PasskeyButton } from "./PasskeyButton.tsx"
import { Refused } from "./Refused.tsx"

interface Props {
  readonly onSession: (session: Session) => void
  /** Fixed where the session of a person goes on. */
  readonly email?: string
}

const PasswordForm = ({ email = "", onSession }: Props) => {
  const words = useWords("account")
  const form = useForm({ mode: "uncontrolled", initialValues: { email, password: "" } })
  const signing = useMutation({
    mutationFn: (credentials: Credentials) => signIn(credentials),
    onSuccess: onSession,
  })
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
        {signing.isError && <Refused error={signing.error} text={words.refused} />}
        <Button type="submit" loading={signing.isPending} fullWidth>
          {words.signIn}
        </Button>
      </Stack>
    </form>
  )
}

/** Nearly every installation has passwords: the form does not wait for the answer. */
const likely = { password: true, passkeys: false, oidcHost: null }

export const SignInForm = (props: Props) => {
  const words = useWords("account")
  const { oidcHost, passkeys, password } = useMethods() ?? likely
  return (
    <Stack>
      {password && <PasswordForm {...props} />}
      {password && (passkeys || oidcHost !== null) && <Divider label={words.or} />}
      {passkeys && <PasskeyButton onSession={props.onSession} />}
      {oidcHost !== null && (
        <OidcButton host={oidcHost} again={props.email !== undefined} variant={password ? "default" : "filled"} />
      )}
    </Stack>
  )
}
