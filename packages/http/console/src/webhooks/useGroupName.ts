// The name of a group of event types. A group that this console does not know has its own.
import { useWords } from "../words/Words.tsx"

export const useGroupName = () => {
  const { groups } = useWords("webhooks")
  return (group: string): string => (Object.hasOwn(groups, group) ? groups[group as keyof typeof groups] : group)
}
