// Larger, smaller, and the whole flow.
import { ActionIcon } from "@mantine/core"
import { Panel, useReactFlow } from "@xyflow/react"
import { FitIcon, MinusIcon, PlusIcon, UpIcon } from "../../Icons.tsx"
import type { ReactNode } from "react"
import { useWords } from "../../words/Words.tsx"

interface Props {
  readonly onAll: () => void
}

export const Zoom = ({ onAll }: Props) => {
  const words = useWords("flows")
  const { fitView, zoomIn, zoomOut } = useReactFlow()
  const button = (label: string, icon: ReactNode, run: () => void) => (
    <ActionIcon variant="default" size="md" aria-label={label} title={label} onClick={run}>
      {icon}
    </ActionIcon>
  )
  return (
    <Panel position="top-right">
      <ActionIcon.Group orientation="vertical">
        {button(words.zoomIn, <PlusIcon size={15} />, () => void zoomIn())}
        {button(words.zoomOut, <MinusIcon size={15} />, () => void zoomOut())}
        {button(words.zoomAll, <FitIcon size={15} />, () => {
          void fitView({ padding: 0.08, maxZoom: 1 })
        })}
        {button(words.toStart, <UpIcon size={15} />, onAll)}
      </ActionIcon.Group>
    </Panel>
  )
}
