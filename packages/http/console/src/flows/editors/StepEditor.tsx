// The editor of a step: the fields of its type, the ways that lead on, its label and its id.
import { Divider, Stack, Text, TextInput } from "@mantine/core"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useWords } from "../../words/Words.tsx"
import { useEditing } from "../draft/editing.tsx"
import { renameStep } from "../draft/edits.ts"
import type { Issue } from "../draft/issues.ts"
import { type Step, stepOf } from "../draft/steps.ts"
import { issueText } from "../parts/texts.ts"
import { CheckFields } from "./CheckFields.tsx"
import { CreateEmailFields } from "./CreateEmailFields.tsx"
import { CreateTentFields } from "./CreateTentFields.tsx"
import { TextPart, useStepFields } from "./fields.tsx"
import { IssueList } from "./IssueList.tsx"
import { SendFields } from "./SendFields.tsx"
import { WaitFields } from "./WaitFields.tsx"

const label_max = 200
const id_max = 120

const Fields = ({ step }: { readonly step: Step }) => {
  switch (step.type) {
    case "send_email":
      return <SendFields step={step} />
    case "wait":
      return <WaitFields step={step} />
    case "condition_check":
      return <CheckFields step={step} />
    case "create_email":
      return <CreateEmailFields step={step} />
    case "create_tent":
      return <CreateTentFields step={step} />
  }
}

/** The id is changed on leaving the field: each letter would be another id. */
const IdField = ({ step }: { readonly step: Step }) => {
  const words = useWords("flows")
  const { choose, edit, isReadOnly, structure } = useEditing()
  const [typed, setTyped] = useState(step.step_id)
  const isTaken = typed !== step.step_id && stepOf(structure, typed) !== undefined
  const rename = () => {
    const id = typed.trim()
    if (id === "" || isTaken || id === step.step_id) return setTyped(step.step_id)
    edit((before) => renameStep(before, step.step_id, id))
    choose({ step: id })
  }
  return (
    <TextInput
      label={words.stepId}
      description={words.stepIdText}
      maxLength={id_max}
      readOnly={isReadOnly}
      value={typed}
      error={isTaken ? words.idTaken : undefined}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={rename}
      onKeyDown={({ key }) => {
        if (key === "Enter") rename()
      }}
    />
  )
}

/** Issues that no field shows. */
const isOfStep = ({ key }: Issue): boolean => key === ""

export const StepEditor = ({ step }: { readonly step: Step }) => {
  const words = useWords("flows")
  const { counts, flow, issues } = useEditing()
  const of = useStepFields(step)
  const count = counts.get(step.step_id) ?? 0
  const mine = (issues.steps.get(step.step_id) ?? []).filter(isOfStep)
  return (
    <Stack gap="sm">
      {count > 0 && (
        <Text size="sm">
          {words.membersHere(count)}{" "}
          <Link to="/flows/$flowId/members" params={{ flowId: flow.flow_id }} className="link inline">
            {words.showMembers}
          </Link>
        </Text>
      )}
      <IssueList texts={mine.map((issue) => issueText(words, issue))} />
      <Fields step={step} />
      <Divider />
      <TextPart
        of={of}
        name="label"
        label={words.label}
        description={words.labelText}
        placeholder={words.stepTypes[step.type]}
        max={label_max}
      />
      <IdField key={step.step_id} step={step} />
    </Stack>
  )
}
