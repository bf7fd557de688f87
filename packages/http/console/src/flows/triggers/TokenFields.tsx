// The values that a call may bring along: their names and types.
import { ActionIcon, Button, Group, Input, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import { CrossIcon, PlusIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"
import type { Trigger } from "../draft/steps.ts"
import { useTriggerFields } from "../editors/fields.tsx"

type Api = Extract<Trigger, { readonly type: "service_api" }>
type Declared = NonNullable<Api["fields"]>[number]

const types = ["string", "number", "boolean"] as const
const name_max = 100
const declared_max = 100

export const TokenFields = ({ at, trigger }: { readonly at: number; readonly trigger: Api }) => {
  const words = useWords("flows")
  const of = useTriggerFields(at, trigger)
  const declared = trigger.fields ?? []
  const change = (index: number, next: Declared, typed?: string) =>
    of.set({ fields: declared.map((each, position) => (position === index ? next : each)) }, typed)
  return (
    <Stack gap="xs">
      <Input.Label labelElement="div">{words.tokens}</Input.Label>
      {declared.map((each, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a row is known by its position: its name is being typed
        <Group key={index} gap={6} wrap="nowrap" align="flex-start">
          <TextInput
            aria-label={words.tokenName}
            placeholder={words.tokenExample}
            maxLength={name_max}
            readOnly={of.isReadOnly}
            value={each.name}
            error={of.errorOf(`fields.${index}`)}
            onChange={({ currentTarget }) => change(index, { ...each, name: currentTarget.value }, `token ${index}`)}
            style={{ flex: 1 }}
          />
          <NativeSelect
            aria-label={words.tokenType}
            disabled={of.isReadOnly}
            value={each.type}
            data={types.map((type) => ({ value: type, label: words.tokenTypes[type] }))}
            onChange={({ currentTarget }) =>
              change(index, { ...each, type: types.find((type) => type === currentTarget.value) ?? "string" })
            }
          />
          {!of.isReadOnly && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={words.removeToken(each.name)}
              onClick={() => of.set({ fields: declared.filter((_, position) => position !== index) })}
            >
              <CrossIcon size={15} />
            </ActionIcon>
          )}
        </Group>
      ))}
      <Text size="xs" c="dimmed">
        {words.tokensText}
      </Text>
      {!of.isReadOnly && declared.length < declared_max && (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<PlusIcon size={14} />}
          onClick={() => of.set({ fields: [...declared, { name: "", type: "string" }] })}
        >
          {words.addToken}
        </Button>
      )}
    </Stack>
  )
}
