// A small table of figures under a title: the first column is text, the others are numbers.
import { Paper, Table, Text } from "@mantine/core"
import type { ReactNode } from "react"

interface Props {
  readonly title: string
  /** Shown in place of an empty table. */
  readonly none: string
  readonly isEmpty: boolean
  /** Column heads; the first one is of text, the others are of numbers. */
  readonly heads: ReadonlyArray<string>
  readonly children: ReactNode
  /** Narrower, it scrolls sideways. */
  readonly width_px: number
  /** Below the title: one sentence. */
  readonly text?: string
}

export const FigureTable = ({ children, heads, isEmpty, none, text, title, width_px }: Props) => (
  <Paper p="md" h="100%" component="section" aria-label={title}>
    <Text component="h2" fw={600} size="sm" mt={0} mb="xs">
      {title}
    </Text>
    {text !== undefined && (
      <Text size="sm" c="dimmed" mb="xs">
        {text}
      </Text>
    )}
    {isEmpty ? (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    ) : (
      <Table.ScrollContainer
        minWidth={width_px}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": title } }}
      >
        <Table fz="sm" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              {heads.map((head, index) => (
                <Table.Th key={head} ta={index === 0 ? "start" : "end"}>
                  {head}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    )}
  </Paper>
)
