// The link that leads to the identity provider. The person comes back to this screen, signed in.
import { Button } from "@mantine/core"
import { useWords } from "../../words/Words.tsx"

interface Props {
  readonly host: string
  /** The person proves it again at the provider, although signed in there. */
  readonly again?: boolean
  readonly variant?: "default" | "filled"
}

export const OidcButton = ({ again = false, host, variant = "default" }: Props) => {
  const words = useWords("account")
  const query = new URLSearchParams({
    return_path: location.pathname + location.search,
    ...(again ? { again: "true" } : {}),
  })
  return (
    <Button component="a" href={`/auth/v1/oidc/start?${query.toString()}`} variant={variant} fullWidth>
      {words.oidcSignIn(host)}
    </Button>
  )
}
