// The list of keys, and the switch that turns off the single letters.
import { Group, Kbd, Stack, Switch, Text } from "@mantine/core"
import { Modal } from "../parts/dialogs/Modal.tsx"
import { useWords } from "../words/Words.tsx"
import { useSingleKeys } from "./keys.ts"

const keys = {
  search: ["⌘K", "/"],
  go: ["g h", "g c", "g s"],
  create: ["n"],
  rows: ["j", "k"],
  choose: ["x"],
  chooseTo: ["⇧x"],
  edit: ["e"],
  save: ["⌘S"],
  close: ["Esc"],
  help: ["?"],
} as const

type Name = keyof typeof keys

const names: ReadonlyArray<Name> = [
  "search",
  "go",
  "create",
  "rows",
  "choose",
  "chooseTo",
  "edit",
  "save",
  "close",
  "help",
]

interface Props {
  readonly onClose: () => void
}

export const KeysDialog = ({ onClose }: Props) => {
  const words = useWords("shell")
  const [single, setSingle] = useSingleKeys()
  return (
    <Modal opened onClose={onClose} title={words.help} closeButtonProps={{ "aria-label": words.close }}>
      <Stack gap="xs">
        {names.map((name) => (
          <Group key={name} justify="space-between">
            <Text size="sm">{words.helpKeys[name]}</Text>
            <Group gap={6}>
              {keys[name].map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
        <Switch
          mt="md"
          label={words.singleKeys}
          checked={single}
          onChange={({ currentTarget }) => setSingle(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}
