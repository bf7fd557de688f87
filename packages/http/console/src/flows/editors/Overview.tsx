// The flow at a glance: what is to be mended, who may enter, and the keys of the canvas.
import { Anchor, Kbd, List, Stack, Text } from "@mantine/core"
import { useIsPhone } from "../../parts/phone.ts"
import { CheckIcon, WarningIcon } from "../../Icons.tsx"
import { isApple } from "../../shell/keys.ts"
import { useWords } from "../../words/Words.tsx"
import { type Chosen, useEditing } from "../draft/editing.tsx"
import { allOf, type Issue, isWarning } from "../draft/issues.ts"
import { can } from "../flow.ts"
import { issueText, useTexts } from "../parts/texts.ts"

interface Line {
  readonly where: string
  readonly chosen: Chosen
  readonly issue: Issue
}

const useLines = (): ReadonlyArray<Line> => {
  const { issues, names, structure } = useEditing()
  const { nameOf, triggerOf } = useTexts(structure, names)
  return [
    ...issues.rest.map((issue) => ({ where: "", chosen: null, issue })),
    ...[...issues.triggers].flatMap(([at, found]) => {
      const trigger = structure.triggers[at]
      return trigger === undefined
        ? []
        : found.map((issue) => ({ where: triggerOf(trigger), chosen: { trigger: at }, issue }))
    }),
    ...structure.steps.flatMap(({ step_id }) =>
      (issues.steps.get(step_id) ?? []).map((issue) => ({ where: nameOf(step_id), chosen: { step: step_id }, issue })),
    ),
  ]
}

const Readiness = () => {
  const words = useWords("flows")
  const { choose, flow, issues } = useEditing()
  const lines = useLines()
  if (lines.length === 0) {
    if (!can("activate", flow)) return null
    return (
      <List size="sm" icon={<CheckIcon size={16} />}>
        <List.Item>{words.ready}</List.Item>
      </List>
    )
  }
  const isReady = allOf(issues).every(isWarning)
  return (
    <List size="sm" spacing={6} className="flow-issues" icon={<WarningIcon size={15} />} aria-label={words.toMendTitle}>
      {isReady && <List.Item icon={<CheckIcon size={16} />}>{words.ready}</List.Item>}
      {lines.map(({ chosen, issue, where }) => (
        <List.Item key={`${where} ${issue.key} ${issue.code ?? ""}`}>
          {chosen === null ? (
            issueText(words, issue)
          ) : (
            <>
              <Anchor component="button" type="button" size="sm" onClick={() => choose(chosen, true)}>
                {where}
              </Anchor>
              : {issueText(words, issue)}
            </>
          )}
        </List.Item>
      ))}
    </List>
  )
}

const keys = ["arrows", "enter", "add", "remove", "undo", "redo", "find", "save"] as const

const keyNames: Readonly<Record<(typeof keys)[number], string>> = {
  arrows: "↑ ↓ ← →",
  enter: "Enter",
  add: "a",
  remove: "Del",
  undo: isApple ? "⌘Z" : "Ctrl Z",
  redo: isApple ? "⇧⌘Z" : "Ctrl Y",
  find: "f",
  save: isApple ? "⌘S" : "Ctrl S",
}

export const Overview = () => {
  const words = useWords("flows")
  const isPhone = useIsPhone()
  const { flow, isReadOnly } = useEditing()
  return (
    <Stack gap="md">
      {flow.description !== null && (
        <Text size="sm" className="plain">
          {flow.description}
        </Text>
      )}
      <Readiness />
      <List size="sm" spacing={4}>
        <List.Item>{words.reentry[flow.reentry_policy]}</List.Item>
        <List.Item>{flow.manual_membership_enabled ? words.manual : words.noManual}</List.Item>
        <List.Item>{flow.disqualification_rules === null ? words.noRulesOut : words.rulesOut}</List.Item>
      </List>
      {!isPhone && !isReadOnly && (
        <dl className="flow-keys" aria-label={words.keysTitle}>
          {keys.map((key) => (
            <div key={key}>
              <dt>
                <Kbd size="xs">{keyNames[key]}</Kbd>
              </dt>
              <dd>{words.keys[key]}</dd>
            </div>
          ))}
        </dl>
      )}
    </Stack>
  )
}
