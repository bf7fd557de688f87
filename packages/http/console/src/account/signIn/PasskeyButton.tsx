// The button that signs in with a passkey.
import { Button } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type Session, signIn } from "../../api/session.ts"
import { KeyIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { signWithPasskey } from "./passkey.ts"
import { Refused } from "./Refused.tsx"

interface Props {
  readonly onSession: (session: Session) => void
}

export const PasskeyButton = ({ onSession }: Props) => {
  const words = useWords("account")
  const signing = useMutation({
    mutationFn: async () => signIn({ passkey: await signWithPasskey() }),
    onSuccess: onSession,
  })
  return (
    <>
      {signing.isError && <Refused error={signing.error} text={words.passkeyRefused} />}
      <Button
        variant="default"
        fullWidth
        leftSection={<KeyIcon />}
        loading={signing.isPending}
        onClick={() => signing.mutate()}
      >
        {words.passkeySignIn}
      </Button>
    </>
  )
}
