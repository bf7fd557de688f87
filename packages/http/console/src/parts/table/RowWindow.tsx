// The foot of a very long table. Browsers limit the height of an element, so that a scroll area holds a part of the rows.
import { ActionIcon, Group, Text } from "@mantine/core"
import { useFormat } from "../../format.ts"
import { LeftIcon, RightIcon } from "../../Icons.tsx"
import { useWords } from "../../words/Words.tsx"

/** Rows in one scroll area: far below the limits of browsers, 33,554,428 px in Chromium. */
export const rows_in_window = 100_000

interface Props {
  readonly start: number
  readonly total: number
  readonly onStart: (start: number) => void
}

export const RowWindow = ({ onStart, start, total }: Props) => {
  const words = useWords("shell").table
  const { number } = useFormat()
  if (total <= rows_in_window) return null
  const end = Math.min(total, start + rows_in_window)
  return (
    <Group justify="flex-end" gap="xs" className="table-foot">
      <Text size="xs" c="dimmed">
        {words.rows(number(start + 1), number(end), number(total))}
      </Text>
      <ActionIcon
        variant="default"
        aria-label={words.previous}
        disabled={start === 0}
        onClick={() => onStart(start - rows_in_window)}
      >
        <LeftIcon size={16} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={words.next}
        disabled={end === total}
        onClick={() => onStart(start + rows_in_window)}
      >
        <RightIcon size={16} />
      </ActionIcon>
    </Group>
  )
}
