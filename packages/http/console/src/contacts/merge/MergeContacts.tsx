// Merges a contact with another one: the other one is chosen, the result is shown beside both, and then it is written.
import { Alert, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core"
import type { Contact } from "@tentpole/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { FormFooter } from "../../parts/dialogs/FormFooter.tsx"
import { Modal } from "../../parts/dialogs/Modal.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { ContactPicker } from "../ContactPicker.tsx"
import { nameOf } from "../person.ts"
import { MergeTable } from "./MergeTable.tsx"
import type { Sides } from "./sides.ts"

export interface MergeProps {
  /** It stays. */
  readonly contact: Contact
  /** The other one; null: it is chosen in the dialog. */
  readonly otherId: string | null
  readonly onClose: () => void
}

interface PreviewProps {
  readonly contact: Contact
  readonly payload: { readonly source_contact_id: string; readonly prefer: "target" | "source"; readonly fields: Sides }
  readonly onChoose: (field: string, side: "target" | "source") => void
}

const Preview = ({ contact, onChoose, payload }: PreviewProps) => {
  const { merge: words } = useWords("contacts")
  const source = useQuery(queryOf("contacts", "find", { params: { contact_id: payload.source_contact_id } }))
  const params = { contact_id: contact.contact_id }
  const result = useQuery({
    ...queryOf("contacts", "merge", { params, payload: { ...payload, dry_run: true } }),
    placeholderData: keepPreviousData,
  })
  if (source.isError || result.isError) return <Problem error={source.error ?? result.error} onRetry={result.refetch} />
  if (source.isPending || result.isPending) return <Skeleton className="late" h={200} radius="lg" />
  const { merged } = result.data
  return (
    <>
      <MergeTable
        target={contact}
        source={source.data}
        result={result.data}
        sideOf={(field) => payload.fields[field] ?? payload.prefer}
        onChoose={onChoose}
      />
      <Text size="sm">{words.parts(merged)}</Text>
      {merged.dropped_memberships.length > 0 && (
        <Text size="sm">{words.dropped(merged.dropped_memberships.length)}</Text>
      )}
    </>
  )
}

interface PreferenceProps {
  readonly value: "target" | "source"
  readonly onChange: (side: "target" | "source") => void
}

const Preference = ({ onChange, value }: PreferenceProps) => {
  const { merge: words } = useWords("contacts")
  const isPhone = useIsPhone()
  return (
    <SegmentedControl
      orientation={isPhone ? "vertical" : "horizontal"}
      aria-label={words.prefer}
      value={value}
      onChange={(side) => onChange(side === "source" ? "source" : "target")}
      data={[
        { value: "target", label: words.preferTarget },
        { value: "source", label: words.preferSource },
      ]}
    />
  )
}

export const MergeContacts = ({ contact, onClose, otherId }: MergeProps) => {
  const { merge: words } = useWords("contacts")
  const shell = useWords("shell")
  const isPhone = useIsPhone()
  const [other, setOther] = useState(otherId)
  const [prefer, setPrefer] = useState<"target" | "source">("target")
  const [fields, setFields] = useState<Sides>({})
  const merge = useMutationOf("contacts", "merge", { done: () => words.done, onDone: onClose })
  const params = { contact_id: contact.contact_id }
  const payload = { source_contact_id: other ?? "", prefer, fields }
  const isSame = other === contact.contact_id
  const isReady = other !== null && !isSame
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.title(nameOf(contact))}
      fullScreen={isPhone}
      size="xl"
      closeButtonProps={{ "aria-label": shell.close }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) merge.mutate({ params, payload })
        }}
      >
        <Stack>
          <Text size="sm">{words.text}</Text>
          {otherId === null && (
            <ContactPicker
              label={words.other}
              value={other}
              onChange={(chosen) => {
                setOther(chosen)
                setFields({})
              }}
            />
          )}
          {isSame && <Alert color="yellow">{words.same}</Alert>}
          {isReady && (
            <>
              <Preference
                value={prefer}
                onChange={(side) => {
                  setPrefer(side)
                  setFields({})
                }}
              />
              <Preview
                contact={contact}
                payload={payload}
                onChoose={(field, side) => setFields((before) => ({ ...before, [field]: side }))}
              />
            </>
          )}
          {merge.isError && <Problem error={merge.error} />}
          <FormFooter
            action={words.action}
            beside={isReady ? <CurlButton call={["contacts", "merge", { params, payload }]} /> : undefined}
            isPending={merge.isPending}
            isReady={isReady}
            onClose={onClose}
          />
        </Stack>
      </form>
    </Modal>
  )
}
