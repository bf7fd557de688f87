// How the rows of a file are treated: what they become, which lists they join, and what happens to contacts that exist.
import { ActionIcon, Group, Pill, SegmentedControl, Select, Stack, Text, TextInput, Button } from "@mantine/core"
import type { AvailableField } from "@tentpole/client"
import { lazy, Suspense } from "react"
import { CrossIcon, PlusIcon } from "../../Icons.tsx"
import { ListPicker } from "../../lists/ListPicker.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Constant, Draft } from "./draft.ts"
import { useFieldOptions } from "./TargetSelect.tsx"

const ConsentOptions = lazy(async () => ({ default: (await import("./ConsentOptions.tsx")).ConsentOptions }))

interface Props {
  readonly draft: Draft
  readonly fields: ReadonlyMap<string, AvailableField>
  readonly onDraft: (change: Partial<Draft>) => void
}

const reasons = ["unsubscribe", "bounce", "complaint", "manual"] as const

const Lists = ({ draft, onDraft }: Omit<Props, "fields">) => {
  const words = useWords("imports")
  const { lists } = draft
  return (
    <Stack gap={6}>
      <ListPicker
        // Each choice begins with an empty field.
        key={lists.length}
        label={words.lists}
        kind="static"
        value={null}
        onChange={(id, choice) => {
          if (id === null || lists.some((list) => list.id === id)) return
          onDraft({ lists: [...lists, { id, name: choice?.label ?? id }] })
        }}
      />
      {lists.length > 0 && (
        <Group gap={6}>
          {lists.map(({ id, name }) => (
            <Pill
              key={id}
              withRemoveButton
              removeButtonProps={{ "aria-label": words.removeList(name), "aria-hidden": false, tabIndex: 0 }}
              onRemove={() => onDraft({ lists: lists.filter((list) => list.id !== id) })}
            >
              {name}
            </Pill>
          ))}
        </Group>
      )}
    </Stack>
  )
}

const Constants = ({ draft, fields, onDraft }: Props) => {
  const words = useWords("imports")
  const options = useFieldOptions(fields)
  const { constants } = draft
  const set = (index: number, change: Partial<Constant>) =>
    onDraft({ constants: constants.map((each, at) => (at === index ? { ...each, ...change } : each)) })
  return (
    <Stack gap={6}>
      <div>
        <Text size="sm" fw={550}>
          {words.constants}
        </Text>
        <Text size="xs" c="dimmed">
          {words.constantsText}
        </Text>
      </div>
      {constants.map(({ field, value }, index) => (
        <Group
          // Rows have no other identity.
          key={`${index} of ${constants.length}`}
          gap={6}
          wrap="nowrap"
          role="group"
          aria-label={words.constant(String(index + 1))}
        >
          <Select
            size="xs"
            searchable
            allowDeselect={false}
            className="grow"
            aria-label={words.field}
            placeholder={words.field}
            value={field === null ? null : `field:${field}`}
            data={options}
            onChange={(next) => set(index, { field: next === null ? null : next.replace("field:", "") })}
          />
          <TextInput
            size="xs"
            className="grow"
            aria-label={words.value}
            placeholder={words.value}
            value={value}
            onChange={({ currentTarget }) => set(index, { value: currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`${words.remove}: ${words.constant(String(index + 1))}`}
            onClick={() => onDraft({ constants: constants.filter((_, at) => at !== index) })}
          >
            <CrossIcon size={16} />
          </ActionIcon>
        </Group>
      ))}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          onClick={() => onDraft({ constants: [...constants, { field: null, value: "" }] })}
        >
          {words.addConstant}
        </Button>
      </div>
    </Stack>
  )
}

const ContactOptions = ({ draft, fields, onDraft }: Props) => {
  const words = useWords("imports")
  return (
    <>
      <Lists draft={draft} onDraft={onDraft} />
      <Select
        label={words.existing}
        allowDeselect={false}
        value={draft.existing}
        data={(["update", "fill", "skip"] as const).map((value) => ({ value, label: words.existingChoices[value] }))}
        onChange={(next) => {
          if (next === "update" || next === "fill" || next === "skip") onDraft({ existing: next })
        }}
      />
      <Select
        label={words.invalid}
        allowDeselect={false}
        value={draft.invalid}
        data={(["skip_row", "skip_cell"] as const).map((value) => ({ value, label: words.invalidChoices[value] }))}
        onChange={(next) => {
          if (next === "skip_row" || next === "skip_cell") onDraft({ invalid: next })
        }}
      />
      <Suspense fallback={null}>
        <ConsentOptions draft={draft} onDraft={onDraft} />
      </Suspense>
      <Constants draft={draft} fields={fields} onDraft={onDraft} />
    </>
  )
}

export const Options = (props: Props) => {
  const { draft, onDraft } = props
  const words = useWords("imports")
  return (
    <Stack gap="md">
      <Text component="h2" fw={600} size="sm" m={0}>
        {words.options}
      </Text>
      <div>
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={words.target}
          value={draft.as}
          data={[
            { value: "contacts", label: words.as.contacts },
            { value: "suppressions", label: words.as.suppressions },
          ]}
          onChange={(next) => onDraft({ as: next === "suppressions" ? "suppressions" : "contacts" })}
        />
        <Text size="xs" c="dimmed" mt={6}>
          {words.targetText[draft.as]}
        </Text>
      </div>
      {draft.as === "contacts" ? (
        <ContactOptions {...props} />
      ) : (
        <Select
          label={words.reason}
          clearable
          value={draft.reason}
          data={reasons.map((value) => ({ value, label: words.reasons[value] }))}
          onChange={(next) => onDraft({ reason: reasons.find((each) => each === next) ?? null })}
        />
      )}
    </Stack>
  )
}
