// Adds a contact to an active flow, which is found by its name.
import { queryOf } from "../../api/queries.ts"
import { useMutationOf } from "../../api/mutations.ts"
import { FlowsIcon } from "../../Icons.tsx"
import { ChoosePopover } from "../../parts/fields/ChoosePopover.tsx"
import { choices_max, Picker } from "../../parts/fields/Picker.tsx"
import { useWords } from "../../words/Words.tsx"

export const AddToFlow = ({ contactId }: { readonly contactId: string }) => {
  const words = useWords("contacts")
  const add = useMutationOf("flowMembers", "add", { done: () => words.addedToFlow })
  return (
    <ChoosePopover
      button={words.addToFlow}
      icon={<FlowsIcon size={15} />}
      picker={(value, onChange) => (
        <Picker
          label={words.activeFlow}
          value={value}
          onChange={onChange}
          source={(search) =>
            queryOf("flows", "list", {
              query: { status: "active", limit: choices_max, ...(search === "" ? {} : { search }) },
            })
          }
          choicesOf={({ flows }) =>
            flows.map(({ flow_id, manual_membership_enabled, name }) => ({
              value: flow_id,
              label: name,
              detail: manual_membership_enabled ? null : words.notByHand,
            }))
          }
        />
      )}
      action={words.addToFlowAction}
      isPending={add.isPending}
      error={add.error}
      onChosen={(flowId, close) => add.mutate({ params: { flowId, contactId } }, { onSuccess: () => close() })}
    />
  )
}
