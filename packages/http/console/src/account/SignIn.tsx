// Sign-in: by a one-time link of the address's fragment, or by password or passkey.
import { Center, Loader, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { purposeOf, type Session } from "../api/session.ts"
import { useWords } from "../words/Words.tsx"
import { Card } from "./signIn/Card.tsx"
import { LinkForm } from "./signIn/LinkForm.tsx"
import { useMethods } from "./signIn/methods.ts"
import { SignInForm } from "./signIn/SignInForm.tsx"

interface Props {
  readonly onSession: (session: Session) => void
}

const Link = ({ onSession, token }: Props & { readonly token: string }) => {
  const words = useWords("account")
  const { loading } = useWords("shell")
  const link = useQuery({ queryKey: ["link", token], queryFn: () => purposeOf(token), staleTime: Infinity })
  const methods = useMethods()
  if (link.data !== undefined && methods !== undefined) {
    return <LinkForm token={token} link={link.data} methods={methods} onSession={onSession} />
  }
  if (!link.isError) {
    return (
      <Center mih="100vh">
        <Loader aria-label={loading} />
      </Center>
    )
  }
  return (
    <Card title={words.linkGone} text={words.linkGoneText}>
      <SignInForm onSession={onSession} />
    </Card>
  )
}

/** Why the identity provider led back without a session: the service says it in the fragment. */
const ProviderFailure = () => {
  const { oidcFailures } = useWords("account")
  const [, reason = ""] = /^#oidc=(.+)$/.exec(location.hash) ?? []
  if (reason === "") return null
  const text = Object.hasOwn(oidcFailures, reason)
    ? oidcFailures[reason as keyof typeof oidcFailures]
    : oidcFailures.refused
  return (
    <Text role="alert" size="sm" mb="md" c="var(--mantine-color-error)">
      {text}
    </Text>
  )
}

export const SignIn = ({ onSession }: Props) => {
  const words = useWords("account")
  const [, token] = /^#link=(.+)$/.exec(location.hash) ?? []
  if (token !== undefined) return <Link token={token} onSession={onSession} />
  return (
    <Card title={words.signIn} text={words.signInText}>
      <ProviderFailure />
      <SignInForm onSession={onSession} />
    </Card>
  )
}
