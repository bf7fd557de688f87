// Sign-in: by a one-time link of the address's fragment, or by password or passkey.
import { Center, Loader } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { purposeOf, type Session } from "../api/session.ts"
import { useWords } from "../words/Words.tsx"
import { Card } from "./Card.tsx"
import { LinkForm } from "./LinkForm.tsx"
import { usePasskeys } from "./PasskeyButton.tsx"
import { SignInForm } from "./SignInForm.tsx"

interface Props {
  readonly onSession: (session: Session) => void
}

const Link = ({ onSession, token }: Props & { readonly token: string }) => {
  const words = useWords("account")
  const { loading } = useWords("shell")
  const link = useQuery({ queryKey: ["link", token], queryFn: () => purposeOf(token), staleTime: Infinity })
  const hasPasskeys = usePasskeys()
  if (link.data !== undefined && hasPasskeys !== undefined) {
    return <LinkForm token={token} link={link.data} hasPasskeys={hasPasskeys} onSession={onSession} />
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

export const SignIn = ({ onSession }: Props) => {
  const words = useWords("account")
  const [, token] = /^#link=(.+)$/.exec(location.hash) ?? []
  if (token !== undefined) return <Link token={token} onSession={onSession} />
  return (
    <Card title={words.signIn} text={words.signInText}>
      <SignInForm onSession={onSession} />
    </Card>
  )
}
