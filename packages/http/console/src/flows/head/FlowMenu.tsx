// The menu of a flow: settings, archive and delete. Only `FlowHead.tsx` imports this module, on demand.
import { Menu } from "@mantine/core"
import type { Flow } from "@tentpole/client"
import { ArchiveIcon, SettingsIcon, TrashIcon } from "../../Icons.tsx"
import { useOpening } from "../../parts/OnDemand.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { can } from "../flow.ts"
import { type Dialog, MoreTarget } from "./FlowHead.tsx"

interface Props {
  readonly flow: Flow
  readonly onOpen: (open: Dialog) => void
}

export const FlowMenu = ({ flow, onOpen }: Props) => {
  const words = useWords("flows")
  const { may } = useSession()
  const { isOpen, setOpen, target } = useOpening()
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end">
      <Menu.Target>
        <MoreTarget ref={target} onClick={() => setOpen(!isOpen)} />
      </Menu.Target>
      <Menu.Dropdown>
        {may("editor") && (
          <Menu.Item leftSection={<SettingsIcon size={16} />} onClick={() => onOpen("settings")}>
            {words.settings}
          </Menu.Item>
        )}
        {may("sender") && can("archive", flow) && (
          <Menu.Item leftSection={<ArchiveIcon size={16} />} onClick={() => onOpen("archive")}>
            {words.archive}
          </Menu.Item>
        )}
        {may("editor") && can("delete", flow) && (
          <Menu.Item leftSection={<TrashIcon size={16} />} c="red" onClick={() => onOpen("delete")}>
            {words.delete}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
