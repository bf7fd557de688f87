// "Is this contact in …?": for a list of any kind, each condition with the contact's own value.
import { Skeleton, Stack, Text } from "@mantine/core"
import type { Contact, SegmentExplanation } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { ListPicker } from "../../lists/ListPicker.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { ExplainedConditions } from "../../segments/matches/TryPerson.tsx"
import { useVocabulary } from "../../segments/useVocabulary.ts"
import { useWords } from "../../words/Words.tsx"
import { nameOf } from "../person.ts"

const Conditions = ({ conditions }: Pick<SegmentExplanation, "conditions">) => {
  const { error, refetch, vocabulary } = useVocabulary({
    kind: "group",
    operator: "and",
    conditions: conditions.map(({ condition }) => condition),
  })
  if (error !== null) return <Problem error={error} onRetry={refetch} />
  if (vocabulary === null) return <Skeleton className="late" h={60} />
  return <ExplainedConditions conditions={conditions} vocabulary={vocabulary} />
}

interface Props {
  readonly contact: Contact
  readonly onClose: () => void
}

export const InList = ({ contact, onClose }: Props) => {
  const words = useWords("contacts")
  const { close } = useWords("shell")
  const isPhone = useIsPhone()
  const [listId, setListId] = useState<string | null>(null)
  const explanation = useQuery({
    ...queryOf("segments", "explain", {
      params: { contact_id: contact.contact_id },
      payload: { list_id: listId ?? "" },
    }),
    enabled: listId !== null,
  })
  const { data, error } = explanation
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.inListTitle(nameOf(contact))}
      fullScreen={isPhone}
      closeButtonProps={{ "aria-label": close }}
    >
      <Stack mih={320}>
        <ListPicker label={words.anyList} value={listId} onChange={setListId} />
        {error !== null && <Problem error={error} onRetry={explanation.refetch} />}
        {listId !== null && data === undefined && error === null && <Skeleton className="late" h={80} />}
        {listId !== null && data !== undefined && (
          <>
            <Text size="sm" fw={600} role="status">
              {data.matches ? words.inList : words.notInList}
            </Text>
            {data.conditions.length > 0 && <Conditions conditions={data.conditions} />}
          </>
        )}
      </Stack>
    </Modal>
  )
}
