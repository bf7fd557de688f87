// The button at the end of a row: an icon, named after the action and the row.
import { ActionIcon } from "@mantine/core"
import type { ReactNode } from "react"

interface Props {
  /** The action, such as "Remove". */
  readonly label: string
  /** The row, such as the name of a member. */
  readonly of: string
  readonly icon: ReactNode
  readonly isPending?: boolean
  readonly onClick: () => void
}

export const RowAction = ({ icon, isPending = false, label, of, onClick }: Props) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    aria-label={`${label}: ${of}`}
    title={label}
    loading={isPending}
    onClick={onClick}
  >
    {icon}
  </ActionIcon>
)
