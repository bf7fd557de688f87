// Adds contacts to a static list, or removes them from one. The list is found by its name.
import { useMutationOf } from "../api/mutations.ts"
import { ListsIcon } from "../Icons.tsx"
import { ListPicker } from "../lists/ListPicker.tsx"
import { ChoosePopover } from "../parts/fields/ChoosePopover.tsx"
import { useWords } from "../words/Words.tsx"

interface Props {
  readonly contactIds: ReadonlyArray<string>
  readonly onDone?: () => void
  /** For a bar of small buttons. */
  readonly isSmall?: boolean
}

interface Move {
  readonly button: string
  readonly action: string
  readonly write: {
    readonly isPending: boolean
    readonly error: Error | null
    readonly mutate: (
      request: {
        readonly params: { readonly listId: string }
        readonly payload: { readonly contact_ids: ReadonlyArray<string> }
      },
      options: { readonly onSuccess: () => void },
    ) => void
  }
}

const ChooseList = ({ action, button, contactIds, isSmall = false, onDone, write }: Props & Move) => {
  const words = useWords("contacts")
  return (
    <ChoosePopover
      button={button}
      icon={<ListsIcon size={15} />}
      isSmall={isSmall}
      picker={(value, onChange) => <ListPicker label={words.list} kind="static" value={value} onChange={onChange} />}
      action={action}
      isPending={write.isPending}
      error={write.error}
      onChosen={(listId, close) => {
        const onSuccess = () => {
          close()
          onDone?.()
        }
        write.mutate({ params: { listId }, payload: { contact_ids: contactIds } }, { onSuccess })
      }}
    />
  )
}

export const AddToList = (props: Props) => {
  const words = useWords("contacts")
  const add = useMutationOf("lists", "addMembers", { done: ({ added_count }) => words.added(added_count) })
  return <ChooseList {...props} button={words.addToList} action={words.add(props.contactIds.length)} write={add} />
}

export const RemoveFromList = (props: Props) => {
  const words = useWords("contacts")
  const remove = useMutationOf("lists", "removeMembers", { done: ({ removed_count }) => words.removed(removed_count) })
  return (
    <ChooseList
      {...props}
      button={words.removeFromList}
      action={words.remove(props.contactIds.length)}
      write={remove}
    />
  )
}
