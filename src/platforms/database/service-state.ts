import mongoose from 'mongoose';

/** Facts about the service as a whole, under one name each. The data's version is apart: backups leave that out. */
export const serviceState = <State extends { _id: string }>(): mongoose.Collection<State> =>
  mongoose.connection.collection<State>('service_state');
