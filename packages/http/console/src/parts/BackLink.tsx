// The link above a title to the listing that the thing belongs to.
import { Anchor } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { BackIcon } from "../Icons.tsx"

interface Props {
  readonly to: string
  readonly label: string
}

export const BackLink = ({ label, to }: Props) => (
  <Anchor component={Link} to={to} size="sm" c="dimmed" className="back">
    <BackIcon size={15} />
    {label}
  </Anchor>
)
