// A trigger of a flow, and the button that adds one.
import { UnstyledButton } from "@mantine/core"
import { lazy, type Ref } from "react"
import { PlusIcon, WarningIcon } from "../../Icons.tsx"
import { OnDemand } from "../../parts/OnDemand.tsx"
import { useWords } from "../../words/Words.tsx"
import { triggers_max, useEditing } from "../draft/editing.tsx"
import { triggerIcons } from "../parts/icons.ts"
import { useTexts } from "../parts/texts.ts"

const TriggerMenu = lazy(async () => ({ default: (await import("./TriggerMenu.tsx")).TriggerMenu }))

interface TargetProps {
  readonly onClick: () => void
  readonly ref?: Ref<HTMLButtonElement>
}

export const AddTriggerTarget = (props: TargetProps) => {
  const words = useWords("flows")
  return (
    <UnstyledButton {...props} className="flow-trigger flow-trigger-add" aria-haspopup="menu">
      <PlusIcon size={15} />
      {words.addTrigger}
    </UnstyledButton>
  )
}

export const AddTrigger = () => {
  const { structure } = useEditing()
  if (structure.triggers.length >= triggers_max) return null
  return (
    <OnDemand button={(open) => <AddTriggerTarget onClick={open} />}>
      <TriggerMenu />
    </OnDemand>
  )
}

export const TriggerButton = ({ at }: { readonly at: number }) => {
  const words = useWords("flows")
  const { choose, chosen, issues, names, structure } = useEditing()
  const { triggerOf } = useTexts(structure, names)
  const trigger = structure.triggers[at]
  if (trigger === undefined) return null
  const Icon = triggerIcons[trigger.type]
  const isChosen = chosen !== null && "trigger" in chosen && chosen.trigger === at
  const count = issues.triggers.get(at)?.length ?? 0
  return (
    <UnstyledButton
      className="flow-trigger"
      data-box="entry"
      data-node={`trigger:${at}`}
      data-trigger={at}
      data-chosen={isChosen || undefined}
      aria-pressed={isChosen}
      onClick={({ detail }) => choose({ trigger: at }, detail === 0)}
    >
      <Icon size={15} />
      <span className="flow-title">{triggerOf(trigger)}</span>
      {count > 0 && (
        <span className="flow-mark" role="img" aria-label={words.toMend(count)}>
          <WarningIcon size={14} />
        </span>
      )}
    </UnstyledButton>
  )
}
