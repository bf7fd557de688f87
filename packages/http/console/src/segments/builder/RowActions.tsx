// The actions of a condition or a group of the builder: a menu, and the button that removes it.
import { ActionIcon, Group, Menu } from "@mantine/core"
import type { ReactNode } from "react"
import type { RuleGroupProps } from "react-querybuilder"
import { CopyIcon, CrossIcon, DotsIcon, DownIcon, UpIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"

interface Props extends Pick<RuleGroupProps, "actions" | "path" | "shiftDownDisabled" | "shiftUpDisabled"> {
  readonly labels: { readonly more: string; readonly remove: string }
  readonly onRemove: () => void
  /** More items of the menu. */
  readonly children?: ReactNode
}

export const RowActions = ({
  actions,
  children,
  labels,
  onRemove,
  path,
  shiftDownDisabled = false,
  shiftUpDisabled = false,
}: Props) => {
  const words = useWords("segments")
  return (
    <Group gap={2} wrap="nowrap">
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={labels.more}>
            <DotsIcon size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<CopyIcon size={16} />}
            onClick={() => actions.moveRule(path, [...path.slice(0, -1), (path.at(-1) ?? 0) + 1], true)}
          >
            {words.duplicate}
          </Menu.Item>
          {children}
          <Menu.Item
            leftSection={<UpIcon size={16} />}
            disabled={shiftUpDisabled}
            onClick={() => actions.moveRule(path, "up")}
          >
            {words.up}
          </Menu.Item>
          <Menu.Item
            leftSection={<DownIcon size={16} />}
            disabled={shiftDownDisabled}
            onClick={() => actions.moveRule(path, "down")}
          >
            {words.down}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ActionIcon variant="subtle" color="gray" aria-label={labels.remove} onClick={onRemove}>
        <CrossIcon size={16} />
      </ActionIcon>
    </Group>
  )
}
