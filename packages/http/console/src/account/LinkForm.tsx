// The form of a one-time link: the person chooses a passkey or a password.
import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core"
import { useForm } from "@mantine/form"
import { useMutation } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { fieldErrors } from "../api/problems.ts"
import { type LinkPurpose, passkeyOptions, type Session, signIn } from "../api/session.ts"
import { KeyIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { Card } from "./Card.tsx"
import { createPasskey, passkeyName, signWithPasskey } from "./passkey.ts"
import { Refused } from "./Refused.tsx"

interface Props {
  readonly token: string
  readonly link: LinkPurpose
  readonly hasPasskeys: boolean
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
const useLinkSignIn = ({ link, onSession, token }: Props, withPasskey: boolean) => {
  const words = useWords("account")
  return useMutation({
    mutationFn: async ({ email, name, password }: Values) => {
      const own = { token, ...(link.has_account ? {} : { name }), ...(link.email === null ? { email } : {}) }
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

export const LinkForm = (props: Props) => {
  const { hasPasskeys, link } = props
  const words = useWords("account")
  const texts = useLinkTexts(link)
  const [withPasskey, setWithPasskey] = useState(hasPasskeys)
  const isNew = !link.has_account
  const asksNewPassword = isNew || link.purpose === "recovery"
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
  return (
    <Card title={texts.title} text={texts.text}>
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
          {withPasskey ? (
            <Text size="sm" c="dimmed">
              {words.passkeyText}
            </Text>
          ) : (
            <PasswordInput
              label={words.password}
              autoComplete={asksNewPassword ? "new-password" : "current-password"}
              {...(asksNewPassword ? { description: words.passwordText, minLength: 12 } : {})}
              required
              visibilityToggleButtonProps={{ "aria-label": words.passwordShow, tabIndex: 0 }}
              {...form.getInputProps("password")}
            />
          )}
          {signing.isError && Object.keys(form.errors).length === 0 && (
            <Refused error={signing.error} text={withPasskey ? words.passkeyRefused : words.refused} />
          )}
          <Button
            type="submit"
            loading={signing.isPending}
            fullWidth
            leftSection={withPasskey ? <KeyIcon /> : undefined}
          >
            {withPasskey ? texts.withPasskey : texts.withPassword}
          </Button>
          {hasPasskeys && (
            <Button variant="subtle" fullWidth onClick={change}>
              {withPasskey ? words.usePassword : words.usePasskey}
            </Button>
          )}
        </Stack>
      </form>
    </Card>
  )
}
