// The menu at the end of a row with several actions, named after the row.
import { ActionIcon } from "@mantine/core"
import { lazy, type ReactNode, type Ref } from "react"
import { DotsIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import { OnDemand } from "../OnDemand.tsx"

const RowMenuItems = lazy(async () => ({ default: (await import("./RowMenuItems.tsx")).RowMenuItems }))

export interface RowMenuProps {
  /** The row, such as the name of a member. */
  readonly of: string
  readonly items: ReadonlyArray<{ readonly label: string; readonly icon: ReactNode; readonly onClick: () => void }>
}

interface TargetProps {
  readonly of: string
  readonly onClick?: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

export const RowMenuTarget = ({ of, ...props }: TargetProps) => {
  const { more } = useWords("shell")
  return (
    <ActionIcon
      {...props}
      variant="subtle"
      color="gray"
      aria-label={`${more}: ${of}`}
      title={more}
      aria-haspopup="menu"
    >
      <DotsIcon size={16} />
    </ActionIcon>
  )
}

export const RowMenu = (props: RowMenuProps) => (
  <OnDemand button={(open) => <RowMenuTarget of={props.of} onClick={open} />}>
    <RowMenuItems {...props} />
  </OnDemand>
)
