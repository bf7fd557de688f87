// A flow as a nested list of its steps, with the same editors: for phones and for readers of screens.
import { Anchor, Paper, Text, UnstyledButton } from "@mantine/core"
import { useWords } from "../words/Words.tsx"
import { AddButton } from "./canvas/AddButton.tsx"
import { AddTrigger, TriggerButton } from "./canvas/TriggerButton.tsx"
import { useEditing } from "./draft/editing.tsx"
import { type Branch, type Item, outlineOf } from "./draft/outline.ts"
import type { Step } from "./draft/steps.ts"
import { StepContent, useStepLook } from "./parts/StepContent.tsx"
import { useTexts } from "./parts/texts.ts"

const StepRow = ({ step }: { readonly step: Step }) => {
  const { choose } = useEditing()
  return (
    <UnstyledButton
      {...useStepLook(step)}
      className="flow-row"
      onClick={({ detail }) => choose({ step: step.step_id }, detail === 0)}
    >
      <StepContent step={step} />
    </UnstyledButton>
  )
}

const Branches = ({ branches }: { readonly branches: ReadonlyArray<Branch> }) => {
  const words = useWords("flows")
  return (
    <ul className="flow-branches">
      {branches.map(({ items, way }) => (
        <li key={way}>
          <span className="flow-way">{words.ways[way]}</span>
          <Items items={items} />
        </li>
      ))}
    </ul>
  )
}

const keyOf = (item: Item, index: number): string => {
  switch (item.kind) {
    case "step":
      return `step ${item.step.step_id}`
    case "place":
      return `place ${item.place.from ?? ""} ${item.place.way}`
    default:
      return `${item.kind} ${index}`
  }
}

const Line = ({ item }: { readonly item: Item }) => {
  const words = useWords("flows")
  const { choose, names, structure } = useEditing()
  const { titleOf } = useTexts(structure, names)
  switch (item.kind) {
    case "step":
      return (
        <>
          <StepRow step={item.step} />
          {item.branches.length > 0 && <Branches branches={item.branches} />}
        </>
      )
    case "place":
      return <AddButton place={item.place} />
    case "go":
      return (
        <Text size="sm">
          {words.goesOn}{" "}
          <Anchor component="button" type="button" size="sm" onClick={() => choose({ step: item.to.step_id }, true)}>
            {titleOf(item.to)}
          </Anchor>
        </Text>
      )
    case "end":
      return (
        <Text size="sm" c="dimmed">
          {words.endOfFlow}
        </Text>
      )
  }
}

const Items = ({ items }: { readonly items: ReadonlyArray<Item> }) => {
  const { isReadOnly } = useEditing()
  const shown = items.filter(({ kind }) => !isReadOnly || kind !== "place")
  if (shown.length === 0) return null
  return (
    <ol className="flow-items">
      {shown.map((item, index) => (
        <li key={keyOf(item, index)} data-item={item.kind}>
          <Line item={item} />
        </li>
      ))}
    </ol>
  )
}

export const Outline = () => {
  const words = useWords("flows")
  const { flow, isReadOnly, structure } = useEditing()
  const { items, loose } = outlineOf(structure)
  return (
    <Paper p="md" component="section" aria-label={words.listOf} className="flow-outline">
      <Text component="h2" size="sm" fw={600} m={0} mb={6}>
        {words.entersBy}
      </Text>
      <div className="flow-triggers">
        {structure.triggers.map((trigger, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a trigger has no id: its place is its name
          <TriggerButton key={`${at} ${trigger.type}`} at={at} />
        ))}
        {structure.triggers.length === 0 && (
          <Text size="sm">{flow.manual_membership_enabled ? words.byHand : words.noTrigger}</Text>
        )}
        {!isReadOnly && <AddTrigger />}
      </div>
      <Text component="h2" size="sm" fw={600} m={0} mt="md" mb={6}>
        {words.steps}
      </Text>
      <Items items={items} />
      {loose.length > 0 && (
        <>
          <Text component="h2" size="sm" fw={600} m={0} mt="md" mb={6}>
            {words.looseSteps}
          </Text>
          <Items items={loose} />
        </>
      )}
    </Paper>
  )
}
