// The menu of a page: versions, name, taking it offline, deleting it. Only `TentHead.tsx` imports this module, on demand.
import { Menu } from "@mantine/core"
import type { Tent } from "@tentpole/client"
import { AuditIcon, EditIcon, OfflineIcon, TrashIcon } from "../../Icons.tsx"
import { useOpening } from "../../parts/OnDemand.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { type Dialog, MoreTarget } from "../TentHead.tsx"

interface Props {
  readonly tent: Tent
  readonly onOpen: (open: Dialog) => void
}

export const TentMenu = ({ onOpen, tent }: Props) => {
  const words = useWords("tents")
  const { may } = useSession()
  const { isOpen, setOpen, target } = useOpening()
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end">
      <Menu.Target>
        <MoreTarget ref={target} onClick={() => setOpen(!isOpen)} />
      </Menu.Target>
      <Menu.Dropdown>
        {tent.current_version > 0 && (
          <Menu.Item leftSection={<AuditIcon size={16} />} onClick={() => onOpen("versions")}>
            {words.versions}
          </Menu.Item>
        )}
        {may("editor") && (
          <Menu.Item leftSection={<EditIcon size={16} />} onClick={() => onOpen("rename")}>
            {words.rename}
          </Menu.Item>
        )}
        {may("sender") && tent.publication?.status === "published" && (
          <Menu.Item leftSection={<OfflineIcon size={16} />} onClick={() => onOpen("unpublish")}>
            {words.unpublish}
          </Menu.Item>
        )}
        {may("editor") && (
          <Menu.Item leftSection={<TrashIcon size={16} />} c="red" onClick={() => onOpen("delete")}>
            {words.delete}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
