// The menu of an endpoint. Only `EndpointHead.tsx` imports this module, on demand.
import { Menu } from "@mantine/core"
import type { WebhookEndpoint } from "@tentpole/client"
import { KeyIcon, PauseIcon, PlayIcon, RefreshIcon, TrashIcon } from "../../Icons.tsx"
import { useOpening } from "../../parts/OnDemand.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Dialog } from "./Endpoint.tsx"
import { MoreTarget } from "./EndpointHead.tsx"

interface Props {
  readonly endpoint: WebhookEndpoint
  readonly onOpen: (open: Dialog) => void
}

export const EndpointMenu = ({ endpoint, onOpen }: Props) => {
  const words = useWords("webhooks")
  const { isOpen, setOpen, target } = useOpening()
  const isEnabled = endpoint.status === "enabled"
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end">
      <Menu.Target>
        <MoreTarget ref={target} onClick={() => setOpen(!isOpen)} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<RefreshIcon size={16} />} onClick={() => onOpen("replay")}>
          {words.replayStart}
        </Menu.Item>
        <Menu.Item leftSection={<KeyIcon size={16} />} onClick={() => onOpen("rotate")}>
          {words.rotateStart}
        </Menu.Item>
        {isEnabled ? (
          <Menu.Item leftSection={<PauseIcon size={16} />} onClick={() => onOpen("disable")}>
            {words.disableStart}
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<PlayIcon size={16} />} onClick={() => onOpen("enable")}>
            {words.enableStart}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<TrashIcon size={16} />} c="red" onClick={() => onOpen("delete")}>
          {words.deleteStart}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
