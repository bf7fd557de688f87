// The form of a one-time link: the person chooses a passkey or a password, or goes on with the identity provider.
import { Button, Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core"
import { useForm, type UseFormReturnType } from "@mantine/form"
import { useMutation } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { fieldErrors } from "../../api/problems.ts"
import { type LinkPurpose, passkeyOptions, type Session, signIn } from "../../api/session.ts"
import { KeyIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { Card } from "./Card.tsx"
import type { Methods } from "./methods.ts"
import { OidcButton } from "./OidcButton.tsx"
import { createPasskey, passkeyName, signWithPasskey } from "./passkey.ts"
import { Refused } from "./Refused.tsx"

interface Props {
  readonly token: string
  readonly link: LinkPurpose
  readonly methods: Methods
  readonly onSession: (session: Session) => void
}

const useLinkTexts = ({ purpose, role, workspace }: LinkPurpose) => {
  const words = useWords("account")
  const { roles } = useWords("shell")
  switch (purpose) {
    case "first":
      return { title: words.first, text: words.firstText, ...words.create }
    case "invitation":
      return {
        title: words.invitation(workspace?.name ?? ""),
        text: words.invitationText(roles[role ?? "viewer"]),
        ...words.join,
      }
    case "recovery":
      return { title: words.recovery, text: words.recoveryText, ...words.change }
  }
}

const nameOf = (path: string) => path.replace(/^link\./, "")

interface Values {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** Signs in with the link, and a passkey or the password of the form. */
const useLinkSignIn = ({ link, methods, onSession, token }: Props, withPasskey: boolean) => {
  const words = useWords("account")
  return useMutation({
    mutationFn: async ({ email, name, password }: Values) => {
      const own = { token, ...(link.has_account ? {} : { name }), ...(link.email === null ? { email } : {}) }
      if (!methods.password) return signIn({ link: own })
      if (!withPasskey) return signIn({ link: own, password })
      if (link.purpose === "invitation" && link.has_account) {
        return signIn({ link: own, passkey: await signWithPasskey() })
      }
      const options = await passkeyOptions({ purpose: "register", link: own })
      return signIn({ link: own, passkey: await createPasskey(options, passkeyName(words)) })
    },
    onSuccess: onSession,
  })
}

const PasswordField = ({ form, isNew }: { readonly form: UseFormReturnType<Values>; readonly isNew: boolean }) => {
  const words = useWords("account")
  return (
    <PasswordInput
      label={words.password}
      autoComplete={isNew ? "new-password" : "current-password"}
      {...(isNew ? { description: words.passwordText, minLength: 12 } : {})}
      required
      visibilityToggleButtonProps={{ "aria-label": words.passwordShow, tabIndex: 0 }}
      {...form.getInputProps("password")}
    />
  )
}

const Form = (props: Props) => {
  const { link, methods } = props
  const words = useWords("account")
  const texts = useLinkTexts(link)
  const [withPasskey, setWithPasskey] = useState(methods.passkeys)
  const isNew = !link.has_account
  const form = useForm({ initialValues: { name: "", email: link.email ?? "", password: "" } })
  const signing = useLinkSignIn(props, withPasskey)
  const { setErrors } = form
  useEffect(() => {
    setErrors(fieldErrors(signing.error, ["name", "email", "password"], nameOf).errors)
  }, [signing.error, setErrors])
  const change = () => {
    signing.reset()
    setWithPasskey(!withPasskey)
  }
  const note = withPasskey ? words.passkeyText : words.oidcLater(methods.oidcHost ?? "")
  return (
    <form onSubmit={form.onSubmit((values) => signing.mutate(values))}>
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
        {withPasskey || !methods.password ? (
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        ) : (
          <PasswordField form={form} isNew={isNew || link.purpose === "recovery"} />
        )}
        {signing.isError && Object.keys(form.errors).length === 0 && (
          <Refused error={signing.error} text={withPasskey ? words.passkeyRefused : words.refused} />
        )}
        <Button type="submit" loading={signing.isPending} fullWidth leftSection={withPasskey ? <KeyIcon /> : undefined}>
          {withPasskey ? texts.withPasskey : texts.withPassword}
        </Button>
        {methods.passkeys && (
          <Button variant="subtle" fullWidth onClick={change}>
            {withPasskey ? words.usePassword : words.usePasskey}
          </Button>
        )}
      </Stack>
    </form>
  )
}

export const LinkForm = (props: Props) => {
  const { link, methods } = props
  const { oidcHost, password } = methods
  const words = useWords("account")
  const { text, title } = useLinkTexts(link)
  // The provider's address finds the invitation by itself.
  const hasProvider = oidcHost !== null && link.purpose === "invitation"
  return (
    <Card title={title} text={text}>
      <Stack>
        {(password || !hasProvider) && <Form {...props} />}
        {password && hasProvider && <Divider label={words.or} />}
        {hasProvider && <OidcButton host={oidcHost} variant={password ? "default" : "filled"} />}
      </Stack>
    </Card>
  )
}
