// A sign-in that failed. A refused one says no more than that; other failures are shown as they are.
import { Text } from "@mantine/core"
import { ApiError } from "@tentpole/client/Failures"
import { fieldErrors } from "../../api/problems.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { KnownPasskey, NoPasskey } from "./passkey.ts"

interface Props {
  readonly error: unknown
  /** What a refusal says. */
  readonly text: string
}

export const Refused = ({ error, text }: Props) => {
  const words = useWords("account")
  const sentence =
    error instanceof ApiError && error.status === 401
      ? text
      : error instanceof NoPasskey
        ? words.passkeyFailed
        : error instanceof KnownPasskey
          ? words.passkeyKnown
          : null
  return sentence === null ? (
    <Problem error={error} issues={fieldErrors(error, ["email", "password", "name"]).rest} />
  ) : (
    <Text role="alert" size="sm" c="var(--mantine-color-error)">
      {sentence}
    </Text>
  )
}
