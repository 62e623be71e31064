import type { DatabaseTap } from '../model/database-proxy.js';
import type { Point, Points } from './points.js';
import { answeredIdOf, readCommand } from './wire-command.js';

export function tapWrites(points: Points): DatabaseTap {
  const open = new Map<number, Point>();
  return {
    sent(message) {
      const { requestId, write } = readCommand(message);
      if (write === undefined) return true;
      const point = points.enter(write);
      if (point === 'struck') return false;
      if (point !== undefined) open.set(requestId, point);
      return true;
    },
    answered(message) {
      const point = open.get(answeredIdOf(message));
      if (point === undefined) return true;
      open.delete(answeredIdOf(message));
      return points.leave(point);
    },
  };
}
