// The question before a save that removes steps where members are.
import { List } from "@mantine/core"
import { Confirm } from "../../parts/Confirm.tsx"
import { useWords } from "../../words/Words.tsx"
import type { OpenedFlow } from "../OpenFlow.tsx"

export const LeftBehind = ({ opened: { error, isSaving, saving } }: { readonly opened: OpenedFlow }) => {
  const words = useWords("flows")
  return (
    <Confirm
      title={words.behindTitle}
      text={
        <>
          <p>{words.behindText}</p>
          <List size="sm">
            {saving.behind.map(({ count, step }) => (
              <List.Item key={step.step_id}>
                {words.behindAt(step.label ?? words.stepTypes[step.type], words.members(count))}
              </List.Item>
            ))}
          </List>
        </>
      }
      action={words.behindAction}
      isPending={isSaving}
      error={error}
      onClose={saving.close}
      onConfirm={saving.confirm}
    />
  )
}
