// The button that signs in with a passkey. It is not shown where there can't be passkeys.
import { Button, Divider } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { type Session, signIn, signInMethods } from "../api/session.ts"
import { KeyIcon } from "../Icons.tsx"
import { useWords } from "../words/Words.tsx"
import { hasPasskeys, signWithPasskey } from "./passkey.ts"
import { Refused } from "./Refused.tsx"

/** Undefined until it is known. */
export const usePasskeys = (): boolean | undefined => {
  const methods = useQuery({ queryKey: ["methods"], queryFn: signInMethods, staleTime: Infinity })
  return methods.isPending ? undefined : hasPasskeys(methods.data?.passkey_host ?? null)
}

interface Props {
  readonly onSession: (session: Session) => void
}

export const PasskeyButton = ({ onSession }: Props) => {
  const words = useWords("account")
  const signing = useMutation({
    mutationFn: async () => signIn({ passkey: await signWithPasskey() }),
    onSuccess: onSession,
  })
  if (usePasskeys() !== true) return null
  return (
    <>
      <Divider label={words.or} />
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
