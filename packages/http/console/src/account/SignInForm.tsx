// The sign-in of a person with an account: by email and password, or with a passkey.
import { Button, PasswordInput, Stack, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useMutation } from "@tanstack/react-query"
import { type Credentials, type Session, signIn } from "../api/session.ts"
import { useWords } from "../words/Words.tsx"
import { PasskeyButton } from "./PasskeyButton.tsx"
import { Refused } from "./Refused.tsx"

interface Props {
  readonly onSession: (session: Session) => void
}

export const useSignIn = (onSession: Props["onSession"]) =>
  useMutation({ mutationFn: (credentials: Credentials) => signIn(credentials), onSuccess: onSession })

/** The form for a person with an account. `email` is fixed where the session of a person goes on. */
export const SignInForm = ({ email = "", onSession }: Props & { readonly email?: string }) => {
  const words = useWords("account")
  const form = useForm({ mode: "uncontrolled", initialValues: { email, password: "" } })
  const signing = useSignIn(onSession)
  return (
    <Stack>
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
      <PasskeyButton onSession={onSession} />
    </Stack>
  )
}
