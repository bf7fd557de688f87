// The panel beside the canvas: the editor of the chosen step or trigger, else an overview of the flow.
import { ActionIcon, Group, Paper, Skeleton } from "@mantine/core"
import { lazy, type ReactNode, Suspense } from "react"
import { CrossIcon, TrashIcon } from "../Icons.tsx"
import { useIsPhone } from "../parts/phone.ts"
import { useWords } from "../words/Words.tsx"
import { panel_title_id, useEditing } from "./draft/editing.tsx"
import { removeStep, removeTrigger } from "./draft/edits.ts"
import { stepOf } from "./draft/steps.ts"
import { Overview } from "./editors/Overview.tsx"

const StepEditor = lazy(async () => ({ default: (await import("./editors/StepEditor.tsx")).StepEditor }))
const TriggerEditor = lazy(async () => ({ default: (await import("./triggers/TriggerEditor.tsx")).TriggerEditor }))

interface HeadProps {
  readonly id?: string
  readonly title: string
  readonly onRemove?: () => void
  readonly onClose?: () => void
  readonly removeLabel?: string
  readonly closeLabel?: string
}

const Head = ({ id = panel_title_id, onClose, onRemove, removeLabel, title }: HeadProps) => {
  const shell = useWords("shell")
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs" mb="sm">
      <h2 id={id} tabIndex={-1} className="flow-panel-title">
        {title}
      </h2>
      <Group gap={4} wrap="nowrap">
        {onRemove !== undefined && (
          <ActionIcon variant="subtle" color="red" aria-label={removeLabel} title={removeLabel} onClick={onRemove}>
            <TrashIcon size={16} />
          </ActionIcon>
        )}
        {onClose !== undefined && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={shell.close}
            title={shell.close}
            visibleFrom="sm"
            onClick={onClose}
          >
            <CrossIcon size={16} />
          </ActionIcon>
        )}
      </Group>
    </Group>
  )
}

const overview_title_id = "flow-overview-title"

/** The box of a step or trigger on the canvas, which the focus returns to. */
const focusNode = (node: string) => document.querySelector<HTMLElement>(`[data-node="${CSS.escape(node)}"]`)?.focus()

const Frame = ({
  children,
  node,
  ...head
}: HeadProps & { readonly node: string | null; readonly children: ReactNode }) => {
  const isPhone = useIsPhone()
  return (
    <Paper
      p="md"
      component="section"
      aria-labelledby={head.id ?? panel_title_id}
      className="flow-panel"
      onKeyDown={({ key, target }) => {
        // The first Escape closes an open list of choices. On a phone it closes the dialog around the panel.
        const isList = target instanceof Element && target.getAttribute("aria-expanded") === "true"
        if (key === "Escape" && node !== null && !isList && !isPhone) focusNode(node)
      }}
    >
      <Head {...head} />
      <Suspense fallback={<Skeleton h={240} />}>{children}</Suspense>
    </Paper>
  )
}

/** On a phone it stays while an editor is open: its buttons lead to steps, and get the focus back. */
export const OverviewPanel = () => {
  const words = useWords("flows")
  return (
    <Frame id={overview_title_id} title={words.overview} node={null}>
      <Overview />
    </Frame>
  )
}

export const Panel = () => {
  const words = useWords("flows")
  const { choose, chosen, edit, isReadOnly, structure } = useEditing()
  const close = () => choose(null)
  if (chosen !== null && "trigger" in chosen) {
    const { trigger: at } = chosen
    const trigger = structure.triggers[at]
    if (trigger === undefined) return null
    const remove = () => {
      edit((before) => removeTrigger(before, at))
      close()
    }
    return (
      <Frame
        title={words.triggerTypes[trigger.type]}
        node={`trigger:${at}`}
        removeLabel={words.removeTrigger}
        onClose={close}
        {...(isReadOnly ? {} : { onRemove: remove })}
      >
        <TriggerEditor key={at} at={at} trigger={trigger} />
      </Frame>
    )
  }
  const step = chosen === null ? undefined : stepOf(structure, chosen.step)
  if (step === undefined) return <OverviewPanel />
  const remove = () => {
    edit((before) => removeStep(before, step.step_id))
    close()
  }
  return (
    <Frame
      title={words.stepTypes[step.type]}
      node={`step:${step.step_id}`}
      removeLabel={words.removeStep}
      onClose={close}
      {...(isReadOnly ? {} : { onRemove: remove })}
    >
      <StepEditor key={step.step_id} step={step} />
    </Frame>
  )
}
