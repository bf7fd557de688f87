// Two contacts and the result of their merge, side by side. Where both have a value, one is chosen.
import { Radio, Table } from "@mantine/core"
import type { Contact } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../../api/queries.ts"
import { useWords } from "../../words/Words.tsx"
import { fieldLabel } from "../fieldLabels.ts"
import { addressOf } from "../person.ts"
import { customName, type MergedField, mergedFields } from "./sides.ts"

interface Props {
  readonly target: Contact
  readonly source: Contact
  readonly result: Contact
  /** The contact whose value of a field stays. */
  readonly sideOf: (field: string) => "target" | "source"
  readonly onChoose: (field: string, side: "target" | "source") => void
}

const useText = () => {
  const { no, yes } = useWords("shell")
  return (value: MergedField["result"]): string => {
    if (value === null) return "–"
    if (typeof value === "boolean") return value ? yes : no
    return typeof value === "object" ? value.join(", ") : String(value)
  }
}

export const MergeTable = ({ onChoose, result, sideOf, source, target }: Props) => {
  const words = useWords("contacts")
  const textOf = useText()
  const custom = useQuery(queryOf("contactFields", "list"))
  const labelOf = (name: string): string => {
    const api_name = customName(name)
    if (api_name === null) return fieldLabel(words, { api_name: name, display_name: name })
    return custom.data?.items.find((field) => field.api_name === api_name)?.display_name ?? api_name
  }
  return (
    <Table.ScrollContainer
      minWidth={640}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": words.merge.sides } }}
    >
      <Table fz="sm" verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="16%">{words.merge.field}</Table.Th>
            <Table.Th className="break">{addressOf(target)}</Table.Th>
            <Table.Th className="break">{addressOf(source)}</Table.Th>
            <Table.Th>{words.merge.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {mergedFields(target, source, result).map((field) => (
            <Table.Tr key={field.name}>
              <Table.Th scope="row">{labelOf(field.name)}</Table.Th>
              {(["target", "source"] as const).map((side) => (
                <Table.Td key={side} className="break">
                  {field.isOpen ? (
                    <Radio
                      size="xs"
                      name={field.name}
                      label={textOf(field[side])}
                      checked={sideOf(field.name) === side}
                      onChange={() => onChoose(field.name, side)}
                    />
                  ) : (
                    textOf(field[side])
                  )}
                </Table.Td>
              ))}
              <Table.Td className="break">{textOf(field.result)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
